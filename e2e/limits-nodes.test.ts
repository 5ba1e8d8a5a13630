import { expect, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import { gatewayOn, onPostgres } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { ask } from './support/routing.ts';
import { sideBySide } from './support/side-by-side.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
const limit = 100;
const nodeCount = 3;
const calls = 180;
const parallel = 6;

onPostgres((_name, _open, kit) => {
  withRedis((startRedis) => {
    test('three nodes count requests together; without Redis each gives its share, and nothing but 429 is answered', async () => {
      const redis = await ofTest(startRedis());
      const upstream = await ofTest(startMockUpstream());
      const first = await ofTest(gatewayOn(kit, { REDIS_URL: redis.url, RATE_LIMIT_FACTOR: '1', LOG_LEVEL: 'info' }));
      const { DATA_DIR: _own, ...shared } = first.env;
      const nodes = [first];
      while (nodes.length < nodeCount) {
        const node = await ofTest(startGateway(shared));
        nodes.push(node);
      }
      const root = await first.root();
      await root.addChannel({ base_url: upstream.url, models: model });
      const keys: string[] = [];
      for (const name of ['with', 'without', 'again']) keys.push((await root.addToken({ name, rpm: limit })).key);
      const [withRedisKey = '', withoutKey = '', againKey = ''] = keys;
      const { key: freeKey } = await root.addToken({ name: 'free' });
      for (const node of nodes) await eventually(async () => expect((await ask(node, { model, key: freeKey })).status).toBe(200));

      // Each knows of the others from its last heartbeat; afterwards nobody can tell it.
      for (const node of nodes) await eventually(() => expect(node.output()).toContain(`"nodes":${nodeCount}`));
      const together = await askAll(nodes, withRedisKey);
      await redis.kill();
      const apart = await askAll(nodes, withoutKey);
      await redis.start();
      for (const node of nodes) await eventually(() => expect(node.output()).toContain('the common limits are back'));
      const again = await askAll(nodes, againKey);
      console.log(`of ${calls} calls with a limit of ${limit}: ${[together, apart, again].map(admitted).join(', ')}`);
      for (const answers of [together, again]) {
        expect(admitted(answers)).toBeGreaterThanOrEqual(95);
        expect(admitted(answers)).toBeLessThanOrEqual(105);
      }
      // Each node's third, rounded down.
      expect(admitted(apart)).toBeGreaterThanOrEqual(90);
      expect(admitted(apart)).toBeLessThanOrEqual(110);
      for (const answers of [together, apart, again])
        expect(answers.filter((status) => status !== 200 && status !== 429)).toEqual([]);
      expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    }, 120_000);
  });
});

const admitted = (answers: readonly number[]): number => answers.filter((status) => status === 200).length;

/** So many at a time, the nodes in turn. */
async function askAll(nodes: readonly Gateway[], key: string): Promise<number[]> {
  const statuses: number[] = [];
  await sideBySide([...Array(calls).keys()], parallel, async (index) => {
    const node = nodes[index % nodes.length];
    if (node !== undefined) statuses.push((await ask(node, { model, key })).status);
  });
  return statuses;
}
