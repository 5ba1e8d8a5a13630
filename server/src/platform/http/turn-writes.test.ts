import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { setImmediate as turnsEnd } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { TurnWrites } from './turn-writes.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Pair {
  readonly writes: TurnWrites;
  readonly socket: Socket;
  readonly peer: Socket;
  /** Sizes of the writes that reached the socket. */
  readonly sizes: number[];
}

/** A connection to write to, and who reads it. */
async function connect(): Promise<Pair> {
  const server = net.createServer();
  const peer = net.connect(await listening(server), '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  closers.push(
    () => void socket.destroy(),
    () => void peer.destroy(),
  );
  const sizes: number[] = [];
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]) => {
    sizes.push((args[0] as Buffer | string).length);
    return write(...args);
  };
  return { writes: new TurnWrites(socket), socket, peer, sizes };
}

/** The next `length` bytes that arrive. */
async function read(peer: Socket, length: number): Promise<string> {
  let text = '';
  while (text.length < length) {
    const bytes = peer.read() as Buffer | null;
    if (bytes === null) await once(peer, 'readable');
    else text += bytes.toString('latin1');
  }
  return text;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const put = (writes: TurnWrites, text: string) => writes.chunk(Buffer.from(`[${text}]`), 1, 1 + text.length);

test('what one connection writes in a turn is one write at its end, in order', async () => {
  const { writes, peer, sizes } = await connect();
  const all = `head\r\n${chunk('a')}${chunk('b'.repeat(300))}${chunk('c')}`;
  writes.text('head\r\n');
  for (const text of ['a', 'b'.repeat(300)]) put(writes, text);
  writes.part(Buffer.from('c'));
  expect(sizes).toEqual([]);
  await turnsEnd();
  expect(sizes).toEqual([all.length]);
  expect(await read(peer, all.length)).toBe(all);
  expect(writes.writes).toBe(3);
});

test('many connections in one room do not mix, however their pieces come and whatever the room holds', async () => {
  const pairs = await Promise.all(Array.from({ length: 20 }, connect));
  const said = pairs.map(() => '');
  let turn = 0;
  // More than the room holds, one behind the other and alternating.
  for (const size of [1, 40, 900, 4_096, 5_000, 20_000]) {
    for (const [index, { writes }] of pairs.entries()) {
      for (const times of [1, 2]) {
        const text = String.fromCharCode(97 + index).repeat(size + times);
        put(writes, text);
        said[index] += chunk(text);
      }
    }
    for (const [index, { writes }] of pairs.entries()) {
      put(writes, `${turn}`);
      said[index] += chunk(`${turn}`);
    }
    turn += 1;
    if (size > 40) await turnsEnd();
  }
  for (const [index, { peer }] of pairs.entries()) expect(await read(peer, said[index]?.length ?? 0)).toBe(said[index]);
});

test('what the system has not taken stays as it was, whatever is written for others meanwhile', async () => {
  const slow = await connect();
  const quick = await connect();
  let said = '';
  let isReady = true;
  for (let k = 0; isReady; k += 1) {
    const text = `${k};`.repeat(500);
    isReady = put(slow.writes, text);
    said += chunk(text);
    await turnsEnd();
  }
  // It stands behind what the system has not taken.
  put(slow.writes, 'the last');
  said += chunk('the last');
  await turnsEnd();
  for (let k = 0; k < 50; k += 1) put(quick.writes, 'z'.repeat(1_000));
  await turnsEnd();
  const drained = once(slow.socket, 'drain');
  expect(await read(slow.peer, said.length)).toBe(said);
  await drained;
  slow.writes.drained();
  expect(put(slow.writes, 'on')).toBe(true);
});

test('a large part is not copied, and stands behind what was written before it', async () => {
  const { writes, peer } = await connect();
  const large = 'x'.repeat(100_000);
  put(writes, 'a');
  writes.part(Buffer.from(large));
  put(writes, 'b');
  const all = chunk('a') + chunk(large) + chunk('b');
  expect(await read(peer, all.length)).toBe(all);
});

test('a connection that is gone takes nothing, and the others get theirs', async () => {
  const gone = await connect();
  const other = await connect();
  put(gone.writes, 'a');
  put(other.writes, 'b');
  gone.socket.destroy();
  await turnsEnd();
  put(gone.writes, 'c');
  await turnsEnd();
  expect(await read(other.peer, chunk('b').length)).toBe(chunk('b'));
});
