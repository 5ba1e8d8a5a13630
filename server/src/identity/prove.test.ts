import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { PublicError } from '../platform/errors.ts';
import { createMemoryLimiter } from '../platform/limiter/memory.ts';
import { failureClaims, underFailureLimit } from './prove.ts';

test('what could not be judged counts as no wrong password', async () => {
  const limiter = createMemoryLimiter({ clock: new FakeClock(1_800_000_000_000), factor: 1 });
  const address = { ip: '192.0.2.1', limitKey: '192.0.2.1', isPrivate: false, isHttps: true };
  const judge = (check: () => Promise<boolean>) =>
    underFailureLimit({ limiter }, failureClaims('user:7', { address, userAgent: '' }), check);
  const crowded = () => Promise.reject(new PublicError('too_many_requests', {}, 2));
  for (let attempt = 0; attempt < 10; attempt++) await expect(judge(crowded)).rejects.toMatchObject({ retryAfterSeconds: 2 });
  expect(await judge(async () => true)).toBe(true);
  for (let attempt = 0; attempt < 5; attempt++) expect(await judge(async () => false)).toBe(false);
  await expect(judge(async () => true)).rejects.toMatchObject({ code: 'too_many_requests' });
});
