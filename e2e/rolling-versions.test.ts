import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import { booksAgree } from './support/books-agree.ts';
import { onPostgres } from './support/engine.ts';
import { startGateway } from './support/gateway.ts';
import { startMixedLoad } from './support/mixed-load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { buildNextVersion, type NextVersion } from './support/next-version.ts';
import { withNginx } from './support/nginx.ts';
import { allServe, startNodes } from './support/nodes.ts';
import { ofTest } from './support/of-test.ts';

const nodeCount = 3;
const short = 'gpt-4o-mini';
/** Twenty pieces in a second: each node has some of them when it is told to stop. */
const long = 's20i50';
/** Of all calls while both versions serve. */
const failedShare = 0.001;

onPostgres((_name, _open, kit) => {
  withRedis((startRedis) => {
    withNginx((startNginx) => {
      test('F-39: nodes go to the next version and back one by one under load: no call fails', async () => {
        const next = await nextVersion({ isCompatible: true });
        const redis = await ofTest(startRedis());
        const upstream = await ofTest(startMockUpstream());
        const env = { TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '60' };
        const nodes = await startNodes(kit, { count: nodeCount, redis, env });
        const ports = nodes.map(({ url }) => Number(new URL(url).port));
        const balancer = await ofTest(startNginx(ports));
        const first = nodes[0];
        const root = await first.root();
        await root.addChannel({ base_url: upstream.url, models: `${short},${long}` });
        await root.setOption('ModelRatio', { [long]: 1, [short]: 1 });
        const { key } = await root.addToken();
        await allServe(nodes, { model: short, key });

        const load = startMixedLoad({
          url: balancer.url,
          callers: [false, true, false, true].flatMap((stream) => [short, long].map((model) => ({ key, model, stream }))),
        });
        await load.answered(20);
        for (const main of [next.main, undefined]) {
          for (let index = 0; index < nodeCount; index += 1) {
            await nodes[index]?.end();
            await nodes.restart(index, main);
            await balancer.hasBack(ports[index]);
            await load.answered(20);
          }
        }
        await load.stop();
        const failed = load.seen.filter(({ isWhole }) => !isWhole);
        console.log(`${2 * nodeCount} changes of version under ${load.seen.length} calls: ${failed.length} failed`);
        const tooMany = failed.slice(Math.floor(load.seen.length * failedShare));
        expect(tooMany.map(({ model, status, text }) => `${model}: ${status} ${text}`)).toEqual([]);
        const here = nodes[0];
        await booksAgree(here, await here.root());
        expect(await migrationsOf(here.env.DATABASE_URL)).toContain('9001-adds');
      }, 120_000);
    });
  });

  test('F-39: what only the next version understands is refused by the one before', async () => {
    const later = await nextVersion({ isCompatible: false });
    const nodes = await startNodes(kit, { count: 1 });
    const [here] = nodes;
    await here.end();
    const newest = await startGateway({ ...here.env, PORT: '0' }, later.main);
    await newest.end();
    await expect(nodes.restart(0)).rejects.toThrow(/newer version.*9002-changes/);
  });
});

async function nextVersion(kind: Parameters<typeof buildNextVersion>[0]): Promise<NextVersion> {
  const version = await buildNextVersion(kind);
  onTestFinished(() => version.remove());
  return version;
}

async function migrationsOf(connectionString = ''): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query('SELECT name FROM migration ORDER BY name')).rows.map(({ name }) => String(name));
  } finally {
    await client.end();
  }
}
