import { expect, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import { booksAgree } from './support/books-agree.ts';
import { signIn } from './support/console-client.ts';
import { onPostgres } from './support/engine.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { allServe, startNodes } from './support/nodes.ts';
import { ofTest } from './support/of-test.ts';
import { ask } from './support/routing.ts';

const model = 'per-call';
/** 0.002 dollars. */
const price = 0.002;
const priceQuota = 1_000;
const affordable = 100;
const parallel = 500;

onPostgres((_name, _open, kit) => {
  withRedis((startRedis) => {
    test(`${parallel} parallel calls over three nodes against a wallet that can pay for ${affordable}: exactly those succeed`, async () => {
      const redis = await ofTest(startRedis());
      const upstream = await ofTest(startMockUpstream());
      const nodes = await startNodes(kit, { redis });
      const [first] = nodes;
      const root = await first.root();
      await root.addChannel({ base_url: upstream.url, models: model });
      await root.setOption('ModelPrice', { [model]: price });
      await root.setOption('QuotaForNewUser', affordable * priceQuota);
      await allServe(nodes, { model, key: (await root.addToken()).key });
      await root.raw('POST', '/api/user/register', { username: 'spender', password: 'spender-password' });
      const spender = await signIn(first.url, 'spender', 'spender-password');
      const { key } = await spender.addToken();
      upstream.reset();

      const asked = Array.from({ length: parallel }, (_, index) => ask(nodes[index % nodes.length] ?? first, { model, key }));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(affordable);
      expect(statuses.filter((status) => status === 403)).toHaveLength(parallel - affordable);
      expect(upstream.requests()).toHaveLength(affordable);
      for (const node of nodes) {
        const self = await (await signIn(node.url, 'spender', 'spender-password')).self();
        expect(self).toMatchObject({ quota: 0, used_quota: affordable * priceQuota, request_count: affordable });
      }
      await booksAgree(first, root);
    });
  });
});
