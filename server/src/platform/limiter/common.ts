import { createHash } from 'node:crypto';
import type { Claim, Limiter, LimitVerdict, OwnLimiter } from './memory.ts';
import type { SharedCounts, SharedRule } from './shared.ts';

/** Only those who hold a slot need a name. */
const anyCaller = 'api';

/**
 * The limits of the console API over all nodes. Every place is taken in this process too: when the common counts are away
 * a node goes by that, with its share of each limit. `factor` as for `own`.
 */
export function createCommonLimiter(own: OwnLimiter, shared: SharedCounts, factor: number): Limiter {
  return {
    async take(claims) {
      const mine = await own.take(claims);
      if (!mine.ok || factor === 0) return mine;
      const rules = claims.map((claim) => ruleOf(claim, factor));
      const verdict = await shared.take(anyCaller, rules, []);
      if (verdict === undefined) {
        mine.refund();
        return own.take(claims, shared.nodes());
      }
      if (verdict.ok) return { ok: true, refund: () => giveBack(mine, rules, verdict.states) };
      mine.refund();
      return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil(verdict.waitMs / 1000)) };
    },
  };

  function giveBack(mine: LimitVerdict, rules: readonly SharedRule[], states: readonly { slice: number }[]): void {
    if (mine.ok) mine.refund();
    for (const [index, rule] of rules.entries()) shared.add(rule, -1, states[index]?.slice);
  }
}

/** Keys name addresses and accounts: what leaves this process is their hash. */
function ruleOf({ key, rule: { limit, windowMs } }: Claim, factor: number): SharedRule {
  const name = `api/${createHash('sha256').update(key).digest('base64url')}`;
  return { name, windowMs, allowed: Math.max(1, Math.floor(limit * factor)), amount: 1 };
}
