import { expect, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import { booksAgree } from './support/books-agree.ts';
import { onPostgres } from './support/engine.ts';
import { startMixedLoad } from './support/mixed-load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { withNginx } from './support/nginx.ts';
import { allServe, startNodes } from './support/nodes.ts';
import { ofTest } from './support/of-test.ts';

const rounds = process.env.TOLLGATE_SOAK === '1' ? 10 : 1;
const short = 'gpt-4o-mini';
/** Forty pieces in two seconds: each node has some of them when it is told to stop. */
const long = 's40i50';

onPostgres((_name, _open, kit) => {
  withRedis((startRedis) => {
    withNginx((startNginx) => {
      test(
        'three nodes are restarted one after the other under load: no call fails, no stream is cut',
        async () => {
          const redis = await ofTest(startRedis());
          const upstream = await ofTest(startMockUpstream());
          const nodes = await startNodes(kit, { redis, env: { TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '60' } });
          const ports = nodes.map(({ url }) => Number(new URL(url).port));
          const balancer = await ofTest(startNginx(ports));
          const root = await nodes[0].root();
          await root.addChannel({ base_url: upstream.url, models: `${short},${long}` });
          await root.setOption('ModelRatio', { [long]: 1, [short]: 1 });
          const { key } = await root.addToken();
          await allServe(nodes, { model: short, key });

          const callers = [
            ...Array.from({ length: 6 }, (_, index) => ({ key, model: short, stream: index % 2 === 0 })),
            ...Array.from({ length: 12 }, () => ({ key, model: long, stream: true })),
          ];
          const load = startMixedLoad({ url: balancer.url, callers });
          await load.answered(50);
          for (let restart = 0; restart < rounds * nodes.length; restart += 1) {
            const index = restart % nodes.length;
            const ended = nodes[index]?.process;
            await nodes[index]?.end();
            expect(ended?.exitCode).toBe(0);
            await nodes.restart(index);
            // As a roll-out does: the next one only when the balancer has this one back.
            await balancer.hasBack(ports[index]);
          }
          await load.stop();
          const failed = load.seen.filter(({ isWhole }) => !isWhole);
          console.log(`${rounds * nodes.length} restarts under ${load.seen.length} calls: ${failed.length} failed`);
          expect(failed).toEqual([]);
          expect(load.seen.length).toBeGreaterThan(100);
          await booksAgree(nodes[0], await nodes[0].root());
        },
        60_000 + rounds * 60_000,
      );
    });
  });
});
