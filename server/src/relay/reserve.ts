import { affordableCap, costOf, type HoldResult, holdAmount, type PriceSnapshot } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { formatQuota } from '../settings/index.ts';
import { refuseWithoutSpace } from './busy.ts';
import type { Call } from './call.ts';
import { codelessFault, localFault, type RelayFault } from './faults.ts';
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
    // Before anything is waited for: of many that arrive together none looks past the others.
    const claimed = claim(call, choices);
    const amount = amountOf(claimed.call);
    const first = await hold(parts, claimed.call, amount);
    if (first.ok) return claimed;
    const reserved = await reserveLess(parts, call, choices, amount, first);
    call.pass?.reserve(amountOf(reserved.call));
    return reserved;
  } catch (error) {
    call.pass?.cancel();
    call.pass?.leave();
    throw error;
  }
}

/** Sets it aside under what may be spent in a day and a month: the full amount, or what these have room for. Throws RelayFault. */
function claim(call: Call, choices: number): Reserved {
  const { pass } = call;
  if (pass === undefined || pass.claim(amountOf(call))) return { call, loweredCap: undefined };
  const less = lowered(call, choices, pass.room());
  if (less === undefined || !pass.claim(amountOf(less.call)))
    throw pass.beyond(isLowerable(call) ? amountOf(call, smallestCap * choices) : amountOf(call));
  return less;
}

/** Its answer may be shorter than the usual one. */
function isLowerable({ capIsCallers, isUncapped, picture, price }: Call): boolean {
  return !capIsCallers && !isUncapped && picture === undefined && price.kind === 'token';
}

/** The call with as long an answer as `have` pays for; undefined = its caller wants another, it is too short to begin, a picture, or cannot be capped. */
function lowered(call: Call, choices: number, have: number): Reserved | undefined {
  if (!isLowerable(call)) return undefined;
  const cap = affordableCap(dearest(call), call.promptCeiling, have, call.completionCap, call.reach);
  const perChoice = Math.floor(cap / choices);
  if (perChoice < smallestCap) return undefined;
  return { call: { ...call, completionCap: perChoice * choices, capIsCallers: true }, loweredCap: perChoice };
}

type Refused = Exclude<HoldResult, { ok: true }>;

async function reserveLess(parts: RelayParts, call: Call, choices: number, amount: number, first: Refused): Promise<Reserved> {
  // Never more than what was claimed.
  const less = first.reason === 'duplicate' ? undefined : lowered(call, choices, Math.min(first.have, amount));
  if (less !== undefined) {
    const second = await hold(parts, less.call, amountOf(less.call));
    if (second.ok) return less;
  }
  throw insufficient(call, first, amount);
}

/** What a call with an answer of `cap` tokens may cost. Never below the operator's minimum, in tokens (rulings 3). */
export function amountOf(call: Call, cap = call.completionCap): number {
  const price = dearest(call);
  const minimum = costOf(price, { prompt: call.snapshot.options.PreConsumedQuota, completion: 0, cached: 0, cacheWrite: 0 });
  return Math.max(minimum, holdAmount(price, call.promptCeiling, cap, call.unitsNano, call.reach));
}

/** The highest price the call may come to: its groups differ in nothing but their ratio. */
function dearest({ price, otherPrices }: Call): PriceSnapshot {
  if (otherPrices === undefined) return price;
  return [...otherPrices.values()].reduce((most, other) => (other.groupRatioNano > most.groupRatioNano ? other : most), price);
}

/** Takes a hold for the call, or changes nothing. Throws RelayFault while the disk is nearly full. */
export function hold(parts: RelayParts, call: Call, amount: number): Promise<HoldResult> {
  refuseWithoutSpace(parts);
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
export function insufficient(
  { key, snapshot, picture }: Pick<Call, 'key' | 'snapshot' | 'picture'>,
  result: Refused,
  amount: number,
): RelayFault {
  const { options } = snapshot;
  if (result.reason === 'duplicate') return localFault('billing_unavailable');
  // Contract 5.2, step 7; the hold that was refused has ended the token.
  if (result.reason === 'exhausted') return codelessFault('token_exhausted', { key: key.masked, remain: result.have });
  const values = { have: formatQuota(result.have, options), need: formatQuota(amount, options) };
  if (result.reason === 'user') {
    // Contract 6.14 and 7.4.
    const what = picture === undefined ? 'chat' : 'image';
    return result.have <= 0 ? localFault('user_quota_empty') : localFault('insufficient_user_quota', { what, ...values });
  }
  return localFault('pre_consume_token_quota_failed', values);
}
