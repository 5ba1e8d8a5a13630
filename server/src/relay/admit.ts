import { autoGroup } from '@tollgate/contract';
import { affordableCap, costOf, type HoldResult, holdAmount, type PriceSnapshot, type Reach } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { affinitySeed, freshSeed, type Route, RoutePlan, type Snapshot, tiersOf, urnOf } from '../routing/index.ts';
import { autoGroupsOf, formatQuota, usableGroups } from '../settings/index.ts';
import type { Authenticated } from './authenticate.ts';
import type { Call } from './call.ts';
import { checkKey } from './check-key.ts';
import { routesTo } from './continued-response.ts';
import { conversationOf } from './conversation.ts';
import { families } from './families/index.ts';
import { localFault } from './faults.ts';
import type { Continued, Inquiry } from './inquiry.ts';
import { leastCapOf } from './least-cap.ts';
import { draftHold } from './log-draft.ts';
import type { RelayParts } from './parts.ts';
import { promptSizeOf } from './prompt-size.ts';
import { checkWords } from './sensitive.ts';
import { estimatePrompt, plainUsage } from './usage.ts';

/** A call that was let in and paid for in advance, and where it may go. */
export interface Admitted {
  readonly call: Call;
  readonly plan: RoutePlan;
  /** Attempts at most. */
  readonly limit: number;
  /** The answer must be limited to what the hold covers. */
  readonly loweredCap: number | undefined;
}

interface Arrival {
  readonly id: string;
  readonly ip: string;
  readonly startedMonotonicMs: number;
}

/** The smallest completion worth starting for a caller who cannot pay for the usual one (ledger, "Size of the hold"). */
const smallestCap = 16;

/** Checks what the key may do (contract 5.3, 5.4), fixes the price and reserves the money. Throws RelayFault. */
export async function admit(
  parts: RelayParts,
  arrival: Arrival,
  { key, pinnedChannel }: Authenticated,
  inquiry: Inquiry,
): Promise<Admitted> {
  const snapshot = parts.snapshot();
  const { peek } = inquiry;
  const { model } = peek;
  checkKey(key, arrival.ip, model);
  checkWords(snapshot.options, inquiry);
  const { group, routes } = chooseRoutes(snapshot, key, model, pinnedChannel, inquiry.continues);
  const price = priceOf(snapshot, key, model, group);
  const otherPrices = routes.length > 1 ? pricesOf(snapshot, key, model, routes.slice(1)) : undefined;
  const size = families.has(inquiry.protocol) ? promptSizeOf(inquiry) : undefined;
  const prompt =
    size === undefined || size.tokens === 0 ? estimatePrompt(peek.scan) : { ceiling: size.tokens, likely: size.tokens };
  // What is asked for beside chat answers with something else than tokens.
  const most = families.has(inquiry.protocol) ? 0 : snapshot.options.MaxHoldCompletionTokens;
  const wanted = peek.cap === undefined ? most : Math.max(peek.cap, leastCapOf(routes, snapshot.options));
  const { id, ip, startedMonotonicMs } = arrival;
  const entering = parts.limiter.enter({ callId: id, key, options: snapshot.options, tokens: prompt.likely });
  const pass = entering instanceof Promise ? await entering : entering;
  const call: Call = {
    ...{ id, ip, startedMonotonicMs, key },
    snapshot,
    model,
    group,
    price,
    ...(otherPrices === undefined ? {} : { otherPrices }),
    isStream: peek.stream,
    ...(size?.unitsNano === undefined ? {} : { unitsNano: size.unitsNano }),
    ...(size?.picture === undefined ? {} : { picture: size.picture }),
    promptCeiling: prompt.ceiling,
    reach: reachOf(price, inquiry),
    promptEstimate: prompt.likely,
    completionCap: wanted * peek.n,
    capIsCallers: peek.cap !== undefined,
    startedAt: nowSeconds(parts.clock),
    ...(pass === undefined ? {} : { pass }),
  };
  const reserved = await reserveOrLeave(parts, call, peek.n);
  const seed = isForked(routes) ? seedOf(parts, call, inquiry) : freshSeed(parts.random());
  const plan = new RoutePlan({ routes, model, seed, health: parts.watch.health, turns: parts.turns });
  return { ...reserved, plan, limit: pinnedChannel === undefined ? 1 + snapshot.options.RetryTimes : 1 };
}

/** Is there anything to choose? */
function isForked([first, ...others]: readonly Route[]): boolean {
  return others.length > 0 || first === undefined || first.size > 1 || first.tiers[0]?.members[0]?.keys.length !== 1;
}

/** One conversation, one seed: the same channel and key as long as they are well. */
function seedOf(parts: RelayParts, call: Call, inquiry: Inquiry): number {
  if (!call.snapshot.options.ChannelAffinityEnabled) return freshSeed(parts.random());
  return affinitySeed(call.key.tokenId, conversationOf(inquiry) ?? noConversation);
}

/** Then the token itself is what stays with its channel. */
const noConversation = new Uint8Array();

function pricesOf(snapshot: Snapshot, key: Key, model: string, routes: readonly Route[]): ReadonlyMap<string, PriceSnapshot> {
  return new Map(routes.map(({ group }) => [group, priceOf(snapshot, key, model, group)]));
}

type Key = Authenticated['key'];

function chooseRoutes(snapshot: Snapshot, key: Key, model: string, pinned: number | undefined, continued?: Continued) {
  const { options } = snapshot;
  const own = key.user.group;
  const tokenGroup = key.group === '' ? own : key.group;
  const groups = tokenGroup === autoGroup ? autoGroupsOf(options, own) : [tokenGroup];
  if (groups.length === 0) throw codeless('auto_groups_disabled');
  if (key.group !== '' && !usableGroups(options, own).has(tokenGroup))
    throw codeless('token_group_refused', { group: tokenGroup });
  if (tokenGroup !== autoGroup && !options.GroupRatio.has(tokenGroup)) throw codeless('group_gone', { group: tokenGroup });
  if (pinned !== undefined) {
    const pinnedGroup = groups[0] ?? own;
    return { group: pinnedGroup, routes: [pinnedRoute(snapshot, pinned, pinnedGroup, model)] };
  }
  const all = groups.flatMap((candidate) => snapshot.route(candidate, model) ?? []);
  const routes = continued?.owner === undefined ? all : routesTo(continued, continued.owner, all);
  const [first] = routes;
  if (first === undefined) throw codeless('no_channel', { group: tokenGroup, model });
  return { group: first.group, routes };
}

function pinnedRoute(snapshot: Snapshot, id: number, group: string, model: string): Route {
  if (Number.isNaN(id)) throw codeless('pinned_channel_invalid');
  const channel = snapshot.channel(id);
  if (channel === undefined) throw codeless('pinned_channel_disabled');
  return { group, model, tiers: tiersOf([channel]).map(urnOf), size: 1 };
}

/** The user's setting accept_unset_model_ratio_model (rulings 2). */
function acceptsUnpriced(setting: string): boolean {
  return setting.includes('"accept_unset_model_ratio_model":true');
}

function priceOf(snapshot: Snapshot, key: Key, model: string, group: string): PriceSnapshot {
  const price = snapshot.prices.lookup({
    model,
    userGroup: key.user.group,
    usingGroup: group,
    acceptUnpriced: acceptsUnpriced(key.user.setting),
  });
  if (price === undefined) throw localFault(key.user.id === 1 ? 'model_price_error_root' : 'model_price_error', { model });
  return price;
}

/** Who cannot pay takes no place under the limits. */
async function reserveOrLeave(parts: RelayParts, call: Call, choices: number): ReturnType<typeof reserve> {
  try {
    const reserved = await reserve(parts, call, choices);
    call.pass?.reserve(amountOf(reserved.call, reserved.call.completionCap));
    return reserved;
  } catch (error) {
    call.pass?.cancel();
    call.pass?.leave();
    throw error;
  }
}

/** Holds the full amount, or, for a caller without a limit of its own, what the balance affords. */
async function reserve(parts: RelayParts, call: Call, choices: number): Promise<{ call: Call; loweredCap: number | undefined }> {
  const amount = amountOf(call, call.completionCap);
  const first = await hold(parts, call, amount);
  if (first.ok) return { call, loweredCap: undefined };
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

/** A body that names neither sound nor an hour's cache and holds no media comes to none of them. */
function reachOf(price: PriceSnapshot, { bytes, peek }: Inquiry): Reach {
  const hasMedia = price.audioRatioNano !== undefined || price.imageRatioNano !== undefined;
  return {
    media: hasMedia && (peek.scan.mediaCount > 0 || bytes.includes('audio') || bytes.includes('image')),
    lasting: price.cacheWrite1hRatioNano !== undefined && bytes.includes('1h'),
  };
}

/** Never below the operator's minimum, in tokens (rulings 3). */
function amountOf(call: Call, cap: number): number {
  const price = dearest(call);
  const minimum = costOf(price, { prompt: call.snapshot.options.PreConsumedQuota, completion: 0, cached: 0, cacheWrite: 0 });
  return Math.max(minimum, holdAmount(price, call.promptCeiling, cap, call.unitsNano, call.reach));
}

/** The highest price the call may come to: its groups differ in nothing but their ratio. */
function dearest({ price, otherPrices }: Call): PriceSnapshot {
  if (otherPrices === undefined) return price;
  return [...otherPrices.values()].reduce((most, other) => (other.groupRatioNano > most.groupRatioNano ? other : most), price);
}

function hold(parts: RelayParts, call: Call, amount: number): Promise<HoldResult> {
  const now = nowSeconds(parts.clock);
  const { cost, draft } = draftHold(call, { ...plainUsage(call.promptEstimate, 0, 'estimated'), unitsNano: call.unitsNano });
  return parts.ledger.hold({
    id: call.id,
    userId: call.key.user.id,
    tokenId: call.key.tokenId,
    amount,
    floorCost: Math.min(cost, amount),
    node: parts.node,
    now,
    leaseUntil: now + parts.env.HOLD_LEASE_SECONDS,
    draft,
  });
}

function insufficient(call: Call, result: Exclude<HoldResult, { ok: true }>, amount: number) {
  const { options } = call.snapshot;
  if (result.reason === 'duplicate') return localFault('billing_unavailable');
  const values = { have: formatQuota(result.have, options), need: formatQuota(amount, options) };
  if (result.reason === 'user') {
    return result.have <= 0 ? localFault('user_quota_empty') : localFault('insufficient_user_quota', values);
  }
  return localFault('pre_consume_token_quota_failed', values);
}

function codeless(code: Parameters<typeof localFault>[0], values: Record<string, string> = {}) {
  return localFault(code, values, { codeless: true });
}
