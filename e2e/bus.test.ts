import { expect, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import type { Console } from './support/console-client.ts';
import { onPostgres } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { allServe, startNodes } from './support/nodes.ts';
import { ofTest } from './support/of-test.ts';
import { ask } from './support/routing.ts';

/** Every node looks once a second anyway: by that alone the median of many changes is half a second. */
const onlyByTheBusMs = 300;
const withBusMs = 1_000;
const withoutBusMs = 5_000;
const revocationMs = 1_500;
const changes = 20;
const model = 'gpt-4o-mini';

onPostgres((_name, _open, kit) => {
  withRedis((startRedis) => {
    test('three nodes: a change is everywhere at once with the bus, within seconds without, and at once again when it is back', async () => {
      const redis = await ofTest(startRedis());
      const upstream = await ofTest(startMockUpstream());
      const nodes = await startNodes(kit, { redis, env: { LOG_LEVEL: 'info' } });
      const [first, ...others] = nodes;
      const root = await first.root();
      const channel = await root.addChannel({ base_url: upstream.url, models: model });
      const { key } = await root.addToken();
      const serve = async (gateway: Gateway) => (await ask(gateway, { model, key })).status;
      await allServe(nodes, { model, key });

      /** Switches the channel; how long until the other nodes, the slower one of them, know. */
      const switchMs = async (isOn: boolean) => {
        await root.call('PUT', '/api/channel/', { id: channel.id, status: isOn ? 1 : 2 });
        const startedMs = performance.now();
        await Promise.all(others.map((gateway) => until(async () => (await serve(gateway)) === (isOn ? 200 : 503))));
        return performance.now() - startedMs;
      };
      const manySwitches = async () => {
        const times: number[] = [];
        for (let i = 0; i < changes; i += 1) times.push(await switchMs(i % 2 === 1));
        return times.sort((a, b) => a - b);
      };
      const expectQuick = (times: readonly number[]) => {
        expect(times[changes / 2]).toBeLessThan(onlyByTheBusMs);
        expect(times.at(-1)).toBeLessThan(withBusMs);
      };

      expectQuick(await manySwitches());
      expect(await revokedMs(root, nodes)).toBeLessThan(revocationMs);

      await redis.kill();
      expect(Math.max(await switchMs(false), await switchMs(true))).toBeLessThan(withoutBusMs);
      expect(await revokedMs(root, nodes)).toBeLessThan(revocationMs);
      expect(await revokedMs(root, nodes)).toBeLessThan(revocationMs);

      await redis.start();
      await Promise.all(nodes.map((gateway) => until(() => gateway.output().includes('the bus is back'))));
      expectQuick(await manySwitches());
      expect(await revokedMs(root, nodes)).toBeLessThan(revocationMs);

      for (const gateway of nodes) await gateway.stop();
      for (const gateway of nodes) expect(gateway.output()).not.toContain(new URL(redis.url).password);
    }, 120_000);

    test('a node starts, serves and is told of changes while Redis is away', async () => {
      const redis = await ofTest(startRedis());
      await redis.kill();
      const nodes = await startNodes(kit, { redis, count: 2 });
      const root = await nodes[0].root();
      expect(await revokedMs(root, nodes)).toBeLessThan(revocationMs);
      expect(await oldKeyEndedMs(root, nodes)).toBeLessThan(revocationMs);
    });
  });
});

/** Makes a key that all nodes know, disables it on the first node; how long until all of them refuse it. */
async function revokedMs(root: Console, nodes: readonly Gateway[]): Promise<number> {
  const token = await root.addToken();
  const isKnown = async (gateway: Gateway) =>
    (await ask(gateway, { model: 'nobody-serves-this', key: token.key })).status !== 401;
  for (const gateway of nodes) await until(() => isKnown(gateway));
  await root.call('PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
  const startedMs = performance.now();
  await Promise.all(nodes.map((gateway) => until(async () => !(await isKnown(gateway)))));
  return performance.now() - startedMs;
}

/** Changes a key with a grace, with which old and new open every node; how long until all refuse the old one, which was ended. */
async function oldKeyEndedMs(root: Console, nodes: readonly Gateway[]): Promise<number> {
  const token = await root.addToken();
  const opens = async (gateway: Gateway, key: string) =>
    (await ask(gateway, { model: 'nobody-serves-this', key })).status !== 401;
  for (const gateway of nodes) await until(() => opens(gateway, token.key));
  const { key } = await root.call<{ key: string }>('POST', `/api/token/${token.id}/rotate?old_key_seconds=600`);
  for (const gateway of nodes) await until(() => opens(gateway, key));
  for (const gateway of nodes) expect(await opens(gateway, token.key)).toBe(true);
  await root.call('DELETE', `/api/token/${token.id}/old-key`);
  const startedMs = performance.now();
  await Promise.all(nodes.map((gateway) => until(async () => !(await opens(gateway, token.key)))));
  const tookMs = performance.now() - startedMs;
  for (const gateway of nodes) expect(await opens(gateway, key)).toBe(true);
  return tookMs;
}

const longestMs = 10_000;

/** Asks again and again, at least every few milliseconds. Throws after ten seconds. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + longestMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${longestMs} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
