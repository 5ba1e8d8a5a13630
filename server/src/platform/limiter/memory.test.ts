import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.ts';
import { createMemoryLimiter } from './memory.ts';

const rule = { limit: 2, windowMs: 10_000 };

test('the window slides: places come back one by one', async () => {
  const clock = new FakeClock(0);
  const limiter = createMemoryLimiter({ clock, factor: 1 });
  const take = async () => (await limiter.take([{ key: 'a', rule }])).ok;
  expect(await take()).toBe(true);
  clock.advanceMs(4000);
  expect([await take(), await take()]).toEqual([true, false]);
  expect(await limiter.take([{ key: 'a', rule }])).toEqual({ ok: false, retryAfterSeconds: 6 });
  clock.advanceMs(6000);
  expect([await take(), await take()]).toEqual([true, false]);
});

test('F-28: a clock that is set back or ahead neither freezes a window nor empties it', async () => {
  const clock = new FakeClock(1_000_000_000);
  const limiter = createMemoryLimiter({ clock, factor: 1 });
  const take = () => limiter.take([{ key: 'a', rule: { limit: 1, windowMs: 10_000 } }]);
  expect((await take()).ok).toBe(true);
  for (const ms of [-3_600_000, 7_200_000, -7_200_000]) {
    clock.skewMs(ms);
    expect(await take()).toEqual({ ok: false, retryAfterSeconds: 10 });
  }
  clock.advanceMs(10_000);
  expect((await take()).ok).toBe(true);
});

test('all claims or none', async () => {
  const limiter = createMemoryLimiter({ clock: new FakeClock(0), factor: 1 });
  const one = { limit: 1, windowMs: 10_000 };
  expect((await limiter.take([{ key: 'ip', rule: one }])).ok).toBe(true);
  expect(
    (
      await limiter.take([
        { key: 'user', rule: one },
        { key: 'ip', rule: one },
      ])
    ).ok,
  ).toBe(false);
  expect((await limiter.take([{ key: 'user', rule: one }])).ok).toBe(true);
});

test('a refund gives back exactly one place', async () => {
  const limiter = createMemoryLimiter({ clock: new FakeClock(0), factor: 1 });
  const claims = [{ key: 'a', rule }];
  const [first] = [await limiter.take(claims), await limiter.take(claims)];
  if (first?.ok) first.refund();
  expect([(await limiter.take(claims)).ok, (await limiter.take(claims)).ok]).toEqual([true, false]);
});

test('the factor scales every limit, and 0 switches limiting off', async () => {
  const count = async (factor: number) => {
    const limiter = createMemoryLimiter({ clock: new FakeClock(0), factor });
    let taken = 0;
    for (let round = 0; round < 20; round++) if ((await limiter.take([{ key: 'a', rule }])).ok) taken++;
    return taken;
  };
  expect([await count(1), await count(2.5), await count(0.1), await count(0)]).toEqual([2, 5, 1, 20]);
});
