import { PublicError } from '../platform/errors.ts';
import type { Limiter, LimitRule } from '../platform/limiter/memory.ts';
import { mailPerson } from '../platform/mail-person.ts';

const hourMs = 3_600_000;
/** R-53, for every mail that a stranger can cause. */
const perAddress: readonly LimitRule[] = [
  { limit: 1, windowMs: 30_000 },
  { limit: 5, windowMs: hourMs },
];
const perCaller: LimitRule = { limit: 10, windowMs: hourMs };
const perSite: LimitRule = { limit: 200, windowMs: hourMs };

/**
 * Takes a place under the mail limits; all spellings of a mailbox share theirs. `caller`: the `limitKey` of a client's address, or
 * whose doing it is.
 * Throws PublicError `too_many_requests`.
 */
export async function limitMail(limiter: Limiter, address: string, caller: string): Promise<void> {
  const mailbox = mailPerson(address) ?? address;
  const verdict = await limiter.take([
    ...perAddress.map((rule) => ({ key: `mail/address/${rule.windowMs}/${mailbox}`, rule })),
    { key: `mail/ip/${caller}`, rule: perCaller },
    { key: 'mail/all', rule: perSite },
  ]);
  if (!verdict.ok) throw new PublicError('too_many_requests', {}, verdict.retryAfterSeconds);
}
