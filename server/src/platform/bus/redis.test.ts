import { createServer, connect as dial, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { captureLog } from '../../../test/capture-log.ts';
import { listening } from '../../../test/listening.ts';
import { type TestRedis, withRedis } from '../../../test/redis.ts';
import type { Bus } from './bus.ts';
import { createRedisBus } from './redis.ts';

const atMost = (timeout: number) => ({ timeout, interval: 10 });

withRedis((startRedis) => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  const redisServer = async (): Promise<TestRedis> => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    return redis;
  };
  const node = (url: string) => {
    const log = captureLog();
    const bus = createRedisBus({ url, log });
    const heard: string[] = [];
    bus.subscribe((payload) => void heard.push(payload));
    cleanups.push(() => bus.close());
    return { bus, heard, log };
  };
  /** Publishes until the other side hears: before both are connected messages are lost by design. */
  const untilHeard = (from: Bus, heard: string[], payload: string, timeout: number) =>
    vi.waitFor(() => {
      from.publish(payload);
      expect(heard).toContain(payload);
    }, atMost(timeout));

  test('a message reaches every node, the one that sent it too', async () => {
    const { url } = await redisServer();
    const [first, second] = [node(url), node(url)];
    await untilHeard(first.bus, second.heard, 'from the first', 5_000);
    await untilHeard(second.bus, first.heard, 'from the second', 5_000);
    expect(second.heard).toContain('from the second');
    expect([first.log.lines, second.log.lines]).toEqual([[], []]);
  });

  test('with Redis gone nothing throws, and when it is back so is the bus; the log says both once and no password', async () => {
    const redis = await redisServer();
    const [first, second] = [node(redis.url), node(redis.url)];
    await untilHeard(first.bus, second.heard, 'before', 5_000);
    await redis.kill();
    await vi.waitFor(() => expect(second.log.lines).toHaveLength(1), atMost(5_000));
    expect(second.log.lines[0]?.text).toMatch(/"reason":"(the connection was closed|ECONN\w+)"/);
    for (let i = 0; i < 1_000; i += 1) first.bus.publish('lost');
    await redis.start();
    await untilHeard(first.bus, second.heard, 'after', 5_000);
    expect(second.heard).not.toContain('lost');
    await vi.waitFor(() => expect(second.log.lines.map(({ level }) => level)).toEqual(['warn', 'info']), atMost(5_000));
    expect(JSON.stringify([first.log.lines, second.log.lines])).not.toContain(new URL(redis.url).password);
  });

  test('a wrong password is a bus that is lost, said once and without the password', async () => {
    const { url } = await redisServer();
    const { bus, log } = node(url.replace(new URL(url).password, 'not-this-one'));
    await vi.waitFor(() => expect(log.lines).toHaveLength(1), atMost(5_000));
    bus.publish('x');
    expect(log.lines[0]?.level).toBe('warn');
    expect(log.lines[0]?.text).not.toContain('not-this-one');
  });

  test('a password that was changed while nobody was connected is what the log says, once', async () => {
    const redis = await redisServer();
    const { bus, heard, log } = node(redis.url);
    await untilHeard(bus, heard, 'before', 5_000);
    const operator = new Redis(redis.url);
    await operator.config('SET', 'requirepass', 'another');
    for (const type of ['normal', 'pubsub']) await operator.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    operator.disconnect();
    await vi.waitFor(() => expect(log.lines.at(-1)?.text).toContain('WRONGPASS'), atMost(5_000));
    expect(log.lines.at(-1)?.text).toContain('See that REDIS_URL is right');
    expect(log.lines.filter(({ text }) => text.includes('WRONGPASS'))).toHaveLength(1);
  });

  test('a user without the right to listen is what the log says, asks only with each beat, and hears when it has it', async () => {
    const redis = await redisServer();
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    const may = (...rules: string[]) => operator.acl('SETUSER', 'gate', 'on', '>planted', '+@all', ...rules);
    await may('resetchannels');
    const { bus, heard, log } = node(redis.url.replace(/\/\/.*@/, '//gate:planted@'));
    await vi.waitFor(() => expect(log.lines).toHaveLength(1), atMost(5_000));
    expect(log.lines[0]?.text).toContain('NOPERM');
    const count = async (section: string, name: RegExp) => Number(name.exec(await operator.info(section))?.[1] ?? 0);
    const connections = () => count('stats', /total_connections_received:(\d+)/);
    const refusals = () => count('commandstats', /cmdstat_subscribe:.*rejected_calls=(\d+)/);
    const [before, asked] = [await connections(), await refusals()];
    await vi.waitFor(async () => expect(await refusals()).toBeGreaterThan(asked), atMost(5_000));
    expect(await connections()).toBe(before);
    await may('&tollgate:bus:*');
    await untilHeard(bus, heard, 'after', 5_000);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('a connection that has gone silent is given up and made anew', async () => {
    const redis = await redisServer();
    const way = await startSilencer(redis.url);
    cleanups.push(way.close);
    const [far, near] = [node(way.url), node(redis.url)];
    await untilHeard(near.bus, far.heard, 'before', 5_000);
    way.silenceOpenOnes();
    near.bus.publish('into the silence');
    await untilHeard(near.bus, far.heard, 'after', 12_000);
    expect(far.heard).not.toContain('into the silence');
  }, 20_000);

  test('what is not answered yet has a bound', async () => {
    const { url } = await redisServer();
    const [first, second] = [node(url), node(url)];
    await untilHeard(first.bus, second.heard, 'ready', 5_000);
    for (let i = 0; i < 5_000; i += 1) first.bus.publish('flood');
    await untilHeard(first.bus, second.heard, 'end', 5_000);
    const flood = second.heard.filter((payload) => payload === 'flood').length;
    expect(flood).toBeGreaterThan(0);
    expect(flood).toBeLessThanOrEqual(256);
  });
});

test('a server that lets no strangers in is what the log says, once, and nothing else says otherwise', async () => {
  let refused = 0;
  const server = createServer((client) => {
    refused += 1;
    client.on('error', () => undefined);
    client.end(
      '-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user.\r\n',
    );
  });
  const url = `redis://127.0.0.1:${await listening(server)}`;
  const log = captureLog();
  const printed = vi.spyOn(console, 'warn').mockReturnValue();
  const bus = createRedisBus({ url, log });
  onTestFinished(async () => {
    await bus.close();
    server.close();
    printed.mockRestore();
  });
  await vi.waitFor(() => expect(refused).toBeGreaterThan(8), atMost(10_000));
  expect(log.lines.filter(({ text }) => text.includes('DENIED'))).toHaveLength(1);
  expect(log.lines.length).toBeLessThanOrEqual(2);
  expect(printed).not.toHaveBeenCalled();
}, 15_000);

/** A TCP way to the server whose open connections can fall silent without being closed. */
async function startSilencer(target: string) {
  const url = new URL(target);
  const port = Number(url.port);
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  const server = createServer((client) => {
    const backend = dial(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      open.add(socket);
      socket.on('data', (chunk) => void (silent.has(socket) || other.write(chunk)));
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  url.port = String(await listening(server));
  return {
    url: url.href,
    silenceOpenOnes: () => {
      for (const socket of open) silent.add(socket);
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
