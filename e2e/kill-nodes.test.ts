import { type Redemption, redemptionStatus, type Token } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { withRedis } from '../server/test/redis.ts';
import { openBooks } from './support/books.ts';
import { booksAgree } from './support/books-agree.ts';
import { signIn } from './support/console-client.ts';
import { onPostgres } from './support/engine.ts';
import { startMixedLoad } from './support/mixed-load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { withNginx } from './support/nginx.ts';
import { allServe, startNodes } from './support/nodes.ts';
import { ofTest } from './support/of-test.ts';

const kills = process.env.TOLLGATE_SOAK === '1' ? 100 : 10;
const perCall = 'per-call';
/** Twenty pieces in a second, priced by their tokens. */
const slow = 's20i50';
const granted = 50_000_000;
const tokenQuota = 40_000_000;
const codeQuota = 1_000;
const leaseSeconds = 2;
const sweepSeconds = 1;
/** A busy machine comes late to its sweep. */
const lateSeconds = 10;
const env = {
  HOLD_LEASE_SECONDS: `${leaseSeconds}`,
  HOLD_SWEEP_SECONDS: `${sweepSeconds}`,
  HOLD_CHECKPOINT_SECONDS: '1',
  TRUSTED_PROXIES: '127.0.0.1',
};

/** A fixed sequence below 1, so that a failing run can be repeated. */
function randoms(): () => number {
  let state = 20_261_122;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

onPostgres((_name, _open, kit) => {
  withRedis((startRedis) => {
    withNginx((startNginx) => {
      test(
        `${kills} kills among three nodes: what was answered is charged once, codes are credited once, nothing stays held`,
        async () => {
          const redis = await ofTest(startRedis());
          const upstream = await ofTest(startMockUpstream({ maxRecords: 1_000_000 }));
          const nodes = await startNodes(kit, { redis, env });
          const balancer = await ofTest(startNginx(nodes.map(({ url }) => Number(new URL(url).port))));
          const [first] = nodes;
          const root = await first.root();
          await root.addChannel({ base_url: upstream.url, models: `${perCall},${slow}` });
          await root.setOption('ModelPrice', { [perCall]: 0.0002 });
          await root.setOption('ModelRatio', { [slow]: 1 });
          await root.setOption('QuotaForNewUser', granted);
          const codes = await root.call<string[]>('POST', '/api/redemption/', { name: 'codes', quota: codeQuota, count: 100 });
          const users = [];
          for (const name of ['anna', 'berta', 'clara']) {
            await root.raw('POST', '/api/user/register', { username: name, password: `${name}-password` });
            const user = await signIn(balancer.url, name, `${name}-password`);
            const token = await user.addToken({ unlimited_quota: false, remain_quota: tokenQuota });
            users.push({ name, user, token });
          }
          for (const { token } of users) await allServe(nodes, { model: perCall, key: token.key });

          const callers = users.flatMap(({ token: { key } }) => [
            { key, model: perCall, stream: false },
            { key, model: perCall, stream: false },
            { key, model: perCall, stream: true },
            { key, model: slow, stream: true },
            { key, model: slow, stream: true },
          ]);
          const load = startMixedLoad({ url: balancer.url, callers, codes, redeemer: users[0]?.user });
          const books = await ofTest(openBooks(first));
          const random = randoms();
          const up = new Set(nodes.keys());
          const restarts: Promise<void>[] = [];
          for (let k = 0; k < kills; k += 1) {
            await load.answered(10);
            await new Promise((resolve) => setTimeout(resolve, 30 + random() * 250));
            // One is always there, otherwise nothing is under way that a kill could break.
            if (up.size === 1) await Promise.race(restarts);
            const chosen = [...up][Math.floor(random() * up.size)] ?? 0;
            up.delete(chosen);
            await nodes[chosen]?.kill();
            restarts.push(nodes.restart(chosen).then(() => void up.add(chosen)));
            expect(await books.overdueHolds(sweepSeconds + lateSeconds)).toBe(0);
          }
          await Promise.all(restarts);
          await load.stop();

          const [again] = nodes;
          const rootAgain = await again.root();
          await booksAgree(again, rootAgain, (leaseSeconds + sweepSeconds + lateSeconds) * 1_000);
          const charges = await books.charges();
          const whole = load.seen.filter(({ isWhole }) => isWhole);
          const given = load.seen.filter(({ gotBytes }) => gotBytes);
          expect(whole.filter(({ id }) => !charges.has(id))).toEqual([]);
          // Also what was cut: something of it was delivered.
          expect(given.filter(({ id }) => !charges.has(id))).toEqual([]);
          expect(charges.size).toBeLessThanOrEqual(upstream.requests().length);
          console.log(
            `${kills} kills: ${whole.length} answered, ${given.length - whole.length} cut, ${charges.size} charged, ${load.redeemed.length} codes`,
          );
          let credited = 0;
          for (const { name, token } of users) {
            // The balancer may still believe that all of them are gone.
            const user = await signIn(again.url, name, `${name}-password`);
            const { quota, used_quota } = await user.self();
            credited += quota + used_quota - granted;
            const [own] = await user.call<Token[]>('GET', '/api/token/?p=0&size=10');
            expect([own?.id, (own?.remain_quota ?? 0) + (own?.used_quota ?? 0)]).toEqual([token.id, tokenQuota]);
          }
          const listed = await rootAgain.call<Redemption[]>('GET', '/api/redemption/?p=0&page_size=100');
          const used = listed.filter(({ status }) => status === redemptionStatus.used);
          expect(credited).toBe(used.length * codeQuota);
          expect(load.redeemed.length).toBeGreaterThan(0);
          expect(load.redeemed.filter((code) => !used.some(({ key }) => key === code))).toEqual([]);
        },
        60_000 + kills * 10_000,
      );
    });
  });
});
