import { affordableCap, costOf, type HoldResult, holdAmount, type PriceSnapshot } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { formatQuota } from '../settings/index.ts';
import type { Call } from './call.ts';
import { localFault, type RelayFault } from './faults.ts';
import { noteHold } from './hold-note.ts';
import type { RelayParts } from './parts.ts';
import { plainUsage } from './usage.ts';

/** The smallest completion worth starting for a caller who cannot pay for the usual one (ledger, "Size of the hold"). */
const smallestCap = 16;

/** A call as it is paid for, and the cap that its answer must then have. */
interface Reserved {
  readonly call: Call;
  readonly loweredCap: number | undefined;
}

/**
 * Holds the full amount, or, for a caller without a limit of its own, what the balance affords. Who cannot pay takes no
 * place under the limits.
 */
export async function reserveOrLeave(parts: RelayParts, call: Call, choices: number): Promise<Reserved> {
  try {
    const amount = amountOf(call, call.completionCap);
    const first = await hold(parts, call, amount);
    const reserved = first.ok ? { call, loweredCap: undefined } : await reserveLess(parts, call, choices, amount, first);
    call.pass?.reserve(amountOf(reserved.call, reserved.call.completionCap));
    return reserved;
  } catch (error) {
    call.pass?.cancel();
    call.pass?.leave();
    throw error;
  }
}

type Refused = Exclude<HoldResult, { ok: true }>;

async function reserveLess(parts: RelayParts, call: Call, choices: number, amount: number, first: Refused): Promise<Reserved> {
  const cap =
    call.capIsCallers || first.reason === 'duplicate'
      ? 0
      : affordableCap(dearest(call), call.promptCeiling, first.have, call.completionCap, call.reach);
  const perChoice = Math.floor(cap / choices);
  if (call.price.kind === 'token' && perChoice >= smallestCap) {
    const lowered: Call = { ...call, completionCap: perChoice * choices, capIsCallers: true };
    const second = await hold(parts, lowered, amountOf(lowered, lowered.completionCap));
    if (second.ok) return { call: lowered, loweredCap: perChoice };
  }
  throw insufficient(call, first, amount);
}

/** Never below the operator's minimum, in tokens (rulings 3). */
export function amountOf(call: Call, cap: number): number {
  const price = dearest(call);
  const minimum = costOf(price, { prompt: call.snapshot.options.PreConsumedQuota, completion: 0, cached: 0, cacheWrite: 0 });
  return Math.max(minimum, holdAmount(price, call.promptCeiling, cap, call.unitsNano, call.reach));
}

/** The highest price the call may come to: its groups differ in nothing but their ratio. */
function dearest({ price, otherPrices }: Call): PriceSnapshot {
  if (otherPrices === undefined) return price;
  return [...otherPrices.values()].reduce((most, other) => (other.groupRatioNano > most.groupRatioNano ? other : most), price);
}

/** Takes a hold for the call, or changes nothing. */
export function hold(parts: RelayParts, call: Call, amount: number): Promise<HoldResult> {
  const now = nowSeconds(parts.clock);
  const usage = { ...plainUsage(call.promptEstimate, 0, 'estimated'), unitsNano: call.unitsNano };
  return parts.ledger.hold({
    id: call.id,
    userId: call.key.user.id,
    tokenId: call.key.tokenId,
    amount,
    floorCost: Math.min(costOf(call.price, usage), amount),
    node: parts.node,
    now,
    leaseUntil: now + parts.env.HOLD_LEASE_SECONDS,
    draft: noteHold(call, usage),
  });
}

/** Why there is no hold, as the caller is told. */
export function insufficient(call: Call, result: Refused, amount: number): RelayFault {
  const { options } = call.snapshot;
  if (result.reason === 'duplicate') return localFault('billing_unavailable');
  const values = { have: formatQuota(result.have, options), need: formatQuota(amount, options) };
  if (result.reason === 'user') {
    return result.have <= 0 ? localFault('user_quota_empty') : localFault('insufficient_user_quota', values);
  }
  return localFault('pre_consume_token_quota_failed', values);
}
