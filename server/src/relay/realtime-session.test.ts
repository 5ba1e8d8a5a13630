import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { captureLog } from '../../test/capture-log.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { listening } from '../../test/listening.ts';
import { createSocketDoor } from '../platform/http/accept-socket.ts';
import { localFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import type { Agreed } from './realtime-caller.ts';
import { RealtimeSession } from './realtime-session.ts';

const minuteMs = 60_000;

/** A session whose upstream is still looked for, and its caller. */
async function session() {
  const clock = new FakeClock(0);
  let accepting = true;
  const outcomes: string[] = [];
  const health = { failed: () => void outcomes.push('failed') };
  const watch = { health, succeeded: () => void outcomes.push('succeeded') };
  const parts = { clock, log: captureLog(), accepting: () => accepting, watch } as unknown as RelayParts;
  const door = createSocketDoor({ subprotocol: 'realtime' });
  const server = createServer();
  const opened = new Promise<RealtimeSession>((resolve) => {
    server.on('upgrade', async (request, socket, head) => {
      const accepted = await door.accept(request, socket, head);
      if (accepted !== undefined) resolve(new RealtimeSession(parts, 'id', accepted));
    });
  });
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const caller = new WebSocket(`ws://127.0.0.1:${port}/`);
  const said: string[] = [];
  caller.on('message', (data) => said.push((JSON.parse(String(data)) as { error: { code: string } }).error.code));
  const closed = once(caller, 'close').then(([code]) => code as number);
  const drain = () => {
    accepting = false;
  };
  await once(caller, 'open');
  return { clock, session: await opened, caller, said, closed, drain, outcomes };
}

test('a session ends after an hour, however busy its callers are', async () => {
  const { clock, session: running, said, closed, caller } = await session();
  for (let minute = 0; minute < 60; minute += 1) {
    clock.advanceMs(minuteMs);
    caller.send('{"type":"a"}');
    caller.ping();
    await once(caller, 'pong');
    running.tick(clock.monotonicMs());
  }
  expect(said).toEqual([]);
  clock.advanceMs(1_000);
  running.tick(clock.monotonicMs());
  expect(await closed).toBe(1001);
  expect(said).toEqual(['session_expired']);
  await running.over;
});

test('a session in which nobody says anything ends after ten minutes', async () => {
  const { clock, session: running, said, closed, caller } = await session();
  for (let minute = 0; minute < 10; minute += 1) {
    clock.advanceMs(minuteMs / 2);
    running.tick(clock.monotonicMs());
    clock.advanceMs(minuteMs / 2);
    caller.ping();
    await once(caller, 'pong');
  }
  clock.advanceMs(1_000);
  running.tick(clock.monotonicMs());
  expect(await closed).toBe(1001);
  expect(said).toEqual(['session_idle']);
});

test('a restart, a refusal and a failure close with codes that say what to do', async () => {
  const restarting = await session();
  restarting.drain();
  restarting.session.tick(0);
  expect([await restarting.closed, restarting.said]).toEqual([1012, ['shutting_down']]);
  for (const [fault, code] of [
    [localFault('too_many_requests'), 1013],
    [localFault('turn_quota_insufficient'), 1013],
    [localFault('user_quota_empty'), 1013],
    [localFault('model_refused'), 1008],
    [localFault('do_request_failed'), 1011],
  ] as const) {
    const { session: running, closed } = await session();
    running.stop(fault);
    expect(await closed).toBe(code);
  }
});

test('a caller who leaves while the upstream is looked for ends the search', async () => {
  const { session: running, caller } = await session();
  const aborted = once(running.signal, 'abort');
  caller.terminate();
  await aborted;
  await running.over;
});

/** An upstream that agreed, and its end of the connection. */
async function agreement() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [[peer]] = await Promise.all([once(server, 'connection'), once(socket, 'open').then(() => socket.pause())]);
  const turns = { running: 0, end: async () => undefined };
  const agreed = { connected: { socket, target: { channel: { key: 'upstream-key' } } }, turns } as unknown as Agreed;
  return { agreed, peer: peer as WebSocket };
}

test.each(['the upstream vanished', 'the upstream ended it', 'the caller left'])(
  'a conversation counts for its channel once, when it is over: %s',
  async (how) => {
    const { session: running, caller, outcomes } = await session();
    const { agreed, peer } = await agreement();
    running.start(agreed);
    expect(outcomes).toEqual([]);
    if (how === 'the caller left') caller.close();
    else if (how === 'the upstream ended it') peer.close(1000);
    else peer.terminate();
    await running.over;
    expect(outcomes).toEqual([how === 'the upstream vanished' ? 'failed' : 'succeeded']);
  },
);

test('what an upstream says of a failure is told without its key', async () => {
  const { session: running, caller, said } = await session();
  const { agreed, peer } = await agreement();
  running.start(agreed);
  const heard = once(caller, 'message');
  peer.send(JSON.stringify({ type: 'error', error: { code: 'no such upstream-key' } }));
  await heard;
  expect(said).toEqual(['no such ***']);
  caller.close();
  await running.over;
});

test('what an upstream says while a session is closed begins no turn beside it', async () => {
  const { session: running, caller } = await session();
  const { agreed } = await agreement();
  const [closing, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  Object.assign(agreed.turns, {
    begin: async () => void order.push('begin'),
    end: async () => {
      closing.resolve();
      await closed.promise;
      order.push('ended');
    },
  });
  running.start(agreed);
  caller.terminate();
  await closing.promise;
  // It was read before the connection was cut.
  agreed.connected.socket.emit('message', Buffer.from('{"type":"response.created","response":{"id":"resp_1"}}'), false);
  closed.resolve();
  await running.over;
  expect(order[0]).toBe('ended');
});
