import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { PublicError } from '../platform/errors.ts';
import { createMemoryLimiter } from '../platform/limiter/memory.ts';
import { underFailureLimit } from './prove.ts';

test('what could not be judged counts as no wrong password', async () => {
  const limiter = createMemoryLimiter({ clock: new FakeClock(1_800_000_000_000), factor: 1 });
  const claims = ['account', 'address'].map((key) => ({ key, rule: { limit: 5, windowMs: 60_000 } }));
  const judge = (check: () => Promise<boolean>) => underFailureLimit({ limiter }, claims, check);
  const crowded = () => Promise.reject(new PublicError('too_many_requests', {}, 2));
  for (let attempt = 0; attempt < 10; attempt++) await expect(judge(crowded)).rejects.toMatchObject({ retryAfterSeconds: 2 });
  expect(await judge(async () => true)).toBe(true);
  for (let attempt = 0; attempt < 5; attempt++) expect(await judge(async () => false)).toBe(false);
  await expect(judge(async () => true)).rejects.toMatchObject({ code: 'too_many_requests' });
});
