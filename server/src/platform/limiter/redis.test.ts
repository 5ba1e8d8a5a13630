import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { captureLog } from '../../../test/capture-log.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { listening } from '../../../test/listening.ts';
import { withRedis } from '../../../test/redis.ts';
import { pingRedis } from '../redis-ping.ts';
import { createCommonLimiter } from './common.ts';
import { createMemoryLimiter } from './memory.ts';
import { createRedisCounts } from './redis.ts';
import type { SharedCounts, SharedRule } from './shared.ts';

const minute = 60_000;
/** An answer that does not come is not waited for longer than this. */
const answerMs = 200;
const longestMs = 1_000;
const hangMs = 2_500;
/** A connection that counted as lost meanwhile is made anew. */
const healedMs = 2_000;

/**
 * What it says by the time a timer for so long has run out that was begun with it, as told by the order of both: a machine that
 * stands still makes both late.
 */
const unlessLater = <T>(ms: number, ask: () => Promise<T>): Promise<T | string> => {
  const answer = ask();
  return Promise.race([answer, new Promise<string>((resolve) => setTimeout(() => setImmediate(resolve, `not in ${ms} ms`), ms))]);
};

/** As docs/many-nodes.md gives them. */
const fewestRights =
  '~{tollgate}:* &tollgate:bus:* +eval +evalsha +time +hgetall +hincrby +hset +hdel +pexpire +zadd +zcard +zrem +zrangebyscore +zremrangebyscore +publish +subscribe +ping +info +select'.split(
    ' ',
  );

withRedis((startRedis) => {
  const nodesOn = async (count: number, own: Pick<TestContext, 'expect' | 'onTestFinished'> = { expect, onTestFinished }) => {
    const redis = await startRedis();
    own.onTestFinished(() => redis.stop());
    const log = captureLog();
    const nodes = Array.from({ length: count }, (_, index) => createRedisCounts({ url: redis.url, node: `n${index}`, log }));
    own.onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
    for (const node of nodes) await own.expect.poll(() => node.look([], [])).toBeDefined();
    return { redis, nodes, text: () => log.lines.map((line) => line.text).join('\n') };
  };
  const rule = (allowed: number, amount = 1): SharedRule => ({ name: 'u1/rpm', windowMs: minute, allowed, amount });
  const admitted = async (nodes: readonly SharedCounts[], calls: number, take: (node: SharedCounts) => Promise<boolean>) => {
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, index) => take(nodes[index % nodes.length] as SharedCounts)),
    );
    return answers.filter(Boolean).length;
  };

  test('three nodes together admit exactly the limit, and say how long to wait', async () => {
    const { nodes } = await nodesOn(3);
    const take = async (node: SharedCounts) => (await node.take('c', [rule(100)], []))?.ok === true;
    expect(await admitted(nodes, 300, take)).toBe(100);
    const [first] = nodes;
    const refused = await first?.take('c', [{ ...rule(1000), name: 'other' }, rule(100)], []);
    expect(refused).toMatchObject({ ok: false, rule: 1 });
    expect((refused as { waitMs: number }).waitMs).toBeGreaterThan(minute - 10_000);
    expect((refused as { waitMs: number }).waitMs).toBeLessThanOrEqual(minute + 1_000);
    // Refused under one, taken under none.
    expect(await first?.look([{ ...rule(1000), name: 'other' }, rule(100)], [])).toEqual([0, 100]);
  });

  test('what a call really used replaces its estimate, wherever it is asked for', async () => {
    const { nodes } = await nodesOn(2);
    const [first, second] = nodes as [SharedCounts, SharedCounts];
    const verdict = await first.take('c', [rule(1000, 40)], []);
    if (verdict?.ok !== true) throw new Error('not taken');
    first.add(rule(1000), 60, verdict.states[0]?.slice);
    await expect.poll(() => second.look([rule(1000)], [])).toEqual([100]);
    first.add(rule(1000), -150, verdict.states[0]?.slice);
    await expect.poll(() => second.look([rule(1000)], [])).toEqual([0]);
    first.add(rule(1000), 5, 1);
    expect(await second.look([rule(1000)], [])).toEqual([0]);
  });

  test('a server whose clock was set back keeps nobody out for longer than the window, or than a call that ended counts', async () => {
    const { redis, nodes } = await nodesOn(1);
    const [node] = nodes as [SharedCounts];
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    const slots = [{ name: 'u1', limit: 1 }];
    const verdict = await node.take('before', [rule(10, 10)], slots);
    if (verdict?.ok !== true) throw new Error('not taken');
    // An hour back, seen from before: what was counted lies an hour ahead.
    const [window, places] = ['{tollgate}:limit:u1/rpm', '{tollgate}:limit:u1'];
    const ahead = (verdict.states[0]?.slice ?? 0) + 3600;
    await operator.multi().del(window).hset(window, ahead, 10).pexpire(window, 3_662_000).exec();
    await operator.zincrby(places, 3_600_000, 'before');
    const refused = (await node.take('after', [rule(10)], [])) as { waitMs: number };
    expect(refused).toMatchObject({ ok: false, rule: 0 });
    expect(refused.waitMs).toBeLessThanOrEqual(minute + 1_000);
    expect(Object.keys(await operator.hgetall(window)).map((slice) => Number(slice) < ahead - 3000)).toEqual([true]);
    node.add(rule(10), -4, ahead);
    await expect.poll(() => node.look([rule(10)], slots)).toEqual([6, 1]);
    const [seconds] = await operator.time();
    expect(Number(await operator.zscore(places, 'before'))).toBeLessThanOrEqual((Number(seconds) + 61) * 1000);
  });

  test('slots are common, and free again when a call is over', async () => {
    const { nodes } = await nodesOn(3);
    const slots = [{ name: 'u1', limit: 4 }];
    const ids: string[] = [];
    const take = async (node: SharedCounts) => {
      const id = randomUUID();
      const isIn = (await node.take(id, [], slots))?.ok === true;
      if (isIn) ids.push(id);
      return isIn;
    };
    expect(await admitted(nodes, 30, take)).toBe(4);
    nodes[0]?.leave(ids[0] ?? '', slots);
    await expect.poll(() => nodes[1]?.look([], slots)).toEqual([3]);
    expect(await admitted(nodes, 30, take)).toBe(1);
  });

  test('F-08: while Redis hangs one answer is waited for, 200 ms, and no call after it; it is back soon after', async () => {
    const { redis, nodes } = await nodesOn(1);
    const [node] = nodes as [SharedCounts];
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    const take = (count: number) => Promise.all(Array.from({ length: count }, () => node.take(randomUUID(), [rule(1_000)], [])));
    await operator.client('PAUSE', hangMs, 'ALL');
    const hungMs = performance.now();
    // Those who come at the same time wait at the same time.
    expect(await unlessLater(answerMs + 20, () => take(50))).toEqual(Array.from({ length: 50 }, () => undefined));
    expect(performance.now() - hungMs).toBeGreaterThanOrEqual(answerMs - 1);
    let others = 0;
    for (; performance.now() - hungMs < hangMs - 2 * answerMs; others += 1) {
      expect(await unlessLater(0, () => take(1))).toEqual([undefined]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(others).toBeGreaterThan(20);
    await expect.poll(async () => (await take(1))[0], { timeout: healedMs }).toMatchObject({ ok: true });
  });

  // These wait for connections that are lost and made anew, each with servers of its own.
  test.concurrent('after a hiccup no slot stays taken: of a call that got no answer, or that ended while Redis was silent or away', async ({
    expect,
    onTestFinished,
  }) => {
    const { redis, nodes } = await nodesOn(1, { expect, onTestFinished });
    const [node] = nodes as [SharedCounts];
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    const slots = [{ name: 'u1', limit: 9 }];
    const isFree = () => expect.poll(() => node.look([], slots), { timeout: healedMs }).toEqual([0]);
    expect(await node.take('ended', [], slots)).toMatchObject({ ok: true });
    await operator.client('PAUSE', 3 * answerMs, 'ALL');
    expect(await node.take('unanswered', [], slots)).toBeUndefined();
    node.leave('ended', slots);
    await isFree();
    expect(await node.take('cut off', [], slots)).toMatchObject({ ok: true });
    await operator.call('CLIENT', 'KILL', 'SKIPME', 'yes');
    await node.look([], []);
    node.leave('cut off', slots);
    await isFree();
  });

  test.concurrent('a server that is there and takes nothing counts as away, is told of once, and is back when it takes again', async ({
    expect,
    onTestFinished,
  }) => {
    const { redis, nodes, text } = await nodesOn(1, { expect, onTestFinished });
    const [node] = nodes as [SharedCounts];
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    const take = () => node.take(randomUUID(), [rule(1_000)], [{ name: 'u1', limit: 9 }]);
    const told = (line: string) => text().split(line).length - 1;
    await operator.config('SET', 'maxmemory', '1');
    await expect.poll(() => told('each node counts alone'), { timeout: 5_000 }).toBe(1);
    expect(text()).toContain('OOM');
    expect(await pingRedis(redis.url)).toBe(false);
    expect(await take()).toBeUndefined();
    await operator.config('SET', 'maxmemory', '0');
    await expect.poll(take, { timeout: healedMs }).toMatchObject({ ok: true });
    expect(await pingRedis(redis.url)).toBe(true);
    await expect.poll(() => told('limits are back')).toBe(1);
    expect(told('each node counts alone')).toBe(1);
  });

  test('a database that the server does not have is told, and its first one is not taken instead', async () => {
    const { redis } = await nodesOn(0);
    const log = captureLog();
    const url = `${redis.url}/99`;
    const node = createRedisCounts({ url, node: 'n', log });
    onTestFinished(() => node.close());
    await expect
      .poll(() => log.lines.map(({ text }) => text), { timeout: 5_000 })
      .toEqual([expect.stringContaining('DB index is out of range')]);
    expect(await node.take('c', [rule(1)], [])).toBeUndefined();
    expect([await pingRedis(url), await pingRedis(`${redis.url}/9`)]).toEqual([false, true]);
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    expect(await operator.keys('*')).toEqual([]);
  });

  test.concurrent.for([
    ['may run no scripts', ['allkeys', 'allchannels', '+@all', '-@scripting'], 'NOPERM'],
    ['may not ask for the time', ['allkeys', 'allchannels', '+@all', '-time'], /can't run this command|ACL failure/],
    ['may use other keys', ['~other:*', 'allchannels', '+@all'], 'NOPERM'],
  ] as const)('a user who %s is told of in a word, and the doctor does not take it for well', async ([, rules, word], own) => {
    const { expect, onTestFinished } = own;
    const { redis } = await nodesOn(0, own);
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    await operator.acl('SETUSER', 'gate', 'on', '>planted', ...rules);
    const url = redis.url.replace(/\/\/.*@/, '//gate:planted@');
    const log = captureLog();
    const node = createRedisCounts({ url, node: 'n', log });
    onTestFinished(() => node.close());
    await expect.poll(() => log.lines.map(({ text }) => text), { timeout: 5_000 }).toEqual([expect.stringMatching(word)]);
    expect(await pingRedis(url)).toBe(false);
    await operator.acl('SETUSER', 'gate', 'reset', 'on', '>planted', ...fewestRights);
    await expect.poll(() => node.look([], []), { timeout: healedMs }).toBeDefined();
    expect(await pingRedis(url)).toBe(true);
  });

  test.concurrent('a connection that leads to a replica since a fail-over is made anew, and finds the primary behind the same address', async ({
    expect,
    onTestFinished,
  }) => {
    const { redis: former } = await nodesOn(0, { expect, onTestFinished });
    const { redis: present } = await nodesOn(0, { expect, onTestFinished });
    const way = await startWay(former.url);
    onTestFinished(() => way.close());
    const log = captureLog();
    const node = createRedisCounts({ url: way.url, node: 'n', log });
    onTestFinished(() => node.close());
    await expect.poll(() => node.look([], [])).toBeDefined();
    const operator = new Redis(former.url);
    onTestFinished(() => operator.disconnect());
    await operator.replicaof('127.0.0.1', 1);
    await expect.poll(() => log.lines.some(({ text }) => text.includes('READONLY')), { timeout: 5_000 }).toBe(true);
    way.leadTo(present.url);
    const take = () => node.take(randomUUID(), [rule(1_000)], []);
    await expect.poll(take, { timeout: 5_000 }).toMatchObject({ ok: true });
    await expect.poll(() => log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('the slots of all calls are renewed, also of more than may wait for an answer at once', async () => {
    const { redis, nodes } = await nodesOn(1);
    const [node] = nodes as [SharedCounts];
    const operator = new Redis(redis.url);
    onTestFinished(() => operator.disconnect());
    const calls = 4_500;
    const slots = [{ name: 'u1', limit: calls }];
    for (let from = 0; from < calls; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => node.take(`c${from + index}`, [], slots)));
    expect(await node.look([], slots)).toEqual([calls]);
    const deadline = async () => Number(await operator.zscore('{tollgate}:limit:u1', `c${calls - 1}`));
    const before = await deadline();
    const nowMs = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs + 21_000);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect.poll(deadline, { timeout: 10_000 }).toBeGreaterThan(before);
    expect(await node.look([], slots)).toEqual([calls]);
  });

  test('the limits of the console API are common; without Redis each node goes by its share, and nobody waits', async () => {
    const { redis, nodes, text } = await nodesOn(3);
    await expect.poll(() => nodes.map((node) => node.nodes())).toEqual([3, 3, 3]);
    const clock = new FakeClock(0);
    const limiters = nodes.map((node) => createCommonLimiter(createMemoryLimiter({ clock, factor: 1 }), node, 1));
    const count = async (key: string, calls: number) => {
      const claims = [{ key, rule: { limit: 30, windowMs: minute } }];
      const answers = await Promise.all(
        Array.from({ length: calls }, (_, index) => limiters[index % limiters.length]?.take(claims)),
      );
      return answers.filter((answer) => answer?.ok === true);
    };
    const places = await count('somebody@example.com', 90);
    expect(places).toHaveLength(30);
    const [place] = places;
    if (place?.ok) place.refund();
    await expect.poll(async () => (await count('somebody@example.com', 3)).length).toBe(1);

    await redis.kill();
    expect(await unlessLater(longestMs, () => count('else', 90))).toHaveLength(30);
    await redis.start();
    for (const node of nodes) await expect.poll(() => node.look([], [])).toBeDefined();
    expect(await count('third', 90)).toHaveLength(30);
    expect(text()).toContain('each node counts alone');
    expect(text()).not.toContain('planted-bus-secret');
  });
});

/** An address whose new connections lead where it is told; open ones stay as they are. */
async function startWay(target: string) {
  const url = new URL(target);
  const sockets = new Set<Socket>();
  let port = Number(url.port);
  const server = createServer((client) => {
    const backend = connect(port, '127.0.0.1');
    client.pipe(backend).pipe(client);
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  url.port = String(await listening(server));
  return {
    url: url.href,
    leadTo: (next: string) => {
      port = Number(new URL(next).port);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
