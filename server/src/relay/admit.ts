import { letterEscapes } from '@tollgate/wire';
import { type PriceSnapshot, type Reach, withToolPrices } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { affinitySeed, freshSeed, type Route, RoutePlan } from '../routing/index.ts';
import type { Authenticated } from './authenticate.ts';
import { backupOf } from './backup-pool.ts';
import type { Arrival, Call } from './call.ts';
import { checkKey } from './check-key.ts';
import { chooseRoutes, priceOf, pricesOf } from './choose-routes.ts';
import { conversationOf } from './conversation.ts';
import { families } from './families/index.ts';
import type { Inquiry } from './inquiry.ts';
import { leastCapOf } from './least-cap.ts';
import type { RelayParts } from './parts.ts';
import { refuseSubstitutes } from './priced-names.ts';
import { promptSizeOf } from './prompt-size.ts';
import { reserveOrLeave } from './reserve.ts';
import { attemptLimit } from './retry.ts';
import { checkWords } from './sensitive.ts';
import { asChosen, choicesOf } from './service-tier.ts';
import { toolsAsked, usesHeld } from './tool-uses.ts';
import { estimatePrompt, unitsIn } from './usage.ts';

/** A call that was let in and paid for in advance, and where it may go. */
export interface Admitted {
  readonly call: Call;
  readonly plan: RoutePlan;
  /** Attempts at most. */
  readonly limit: number;
  /** The answer must be limited to what the hold covers. */
  readonly loweredCap: number | undefined;
}

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
  if (!families.has(inquiry.protocol)) refuseSubstitutes(peek.scan);
  checkWords(snapshot.options, inquiry);
  // What is continued can be answered by its owner alone, and who names a channel wants that one.
  const isBound = pinnedChannel !== undefined || inquiry.continues !== undefined;
  const backup = isBound ? undefined : backupOf(snapshot, key, model);
  const { group, routes } = chooseRoutes(snapshot, key, model, pinnedChannel, inquiry.continues, backup !== undefined);
  const ratios = snapshot.options.ServiceTierRatio;
  const choices = choicesOf(inquiry, ratios);
  const { ToolPrice } = snapshot.options;
  const tools = families.has(inquiry.protocol) ? undefined : toolsAsked(inquiry, ToolPrice);
  const held = usesHeld(tools);
  const chosen = (plain: PriceSnapshot) => withToolPrices(asChosen(plain, ratios, choices), ToolPrice, held);
  const price = chosen(priceOf(snapshot, key, model, group));
  const otherPrices = routes.length > 1 ? pricesOf(snapshot, key, model, routes.slice(1), chosen) : undefined;
  const size = families.has(inquiry.protocol) ? promptSizeOf(inquiry) : undefined;
  const prompt =
    size === undefined || size.tokens === 0 ? estimatePrompt(peek.scan) : { ceiling: size.tokens, likely: size.tokens };
  // What is asked for beside chat answers with something else than tokens, but for some pictures.
  const most = families.has(inquiry.protocol) ? 0 : snapshot.options.MaxHoldCompletionTokens;
  const wanted =
    peek.cap === undefined
      ? most
      : Math.max(peek.cap, leastCapOf(backup === undefined ? routes : [...routes, backup], snapshot.options));
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
    ...(choices === undefined ? {} : { choices }),
    ...(tools === undefined ? {} : { tools }),
    ...(backup === undefined ? {} : { backup }),
    isStream: peek.stream,
    ...unitsIn(price, size),
    ...(size?.picture === undefined ? {} : { picture: size.picture }),
    promptCeiling: prompt.ceiling,
    reach: held === undefined ? reachOf(price, inquiry) : { ...reachOf(price, inquiry), tools: held },
    promptEstimate: prompt.likely,
    completionCap: size?.answer ?? wanted * peek.n,
    capIsCallers: peek.cap !== undefined,
    isUncapped: inquiry.surface.uncapped === true,
    startedAt: nowSeconds(parts.clock),
    ...(pass === undefined ? {} : { pass }),
  };
  const reserved = await reserveOrLeave(parts, call, peek.n);
  const seed = isForked(routes) ? seedOf(parts, call, inquiry) : freshSeed(parts.random());
  const plan = new RoutePlan({ routes, model, seed, health: parts.watch.health, turns: parts.turns });
  return { ...reserved, plan, limit: attemptLimit(snapshot.options, pinnedChannel) };
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

/** A body that names neither media nor a cache for hours and holds no media comes to none of them; an upload is media. */
export function reachOf(price: PriceSnapshot, { bytes, peek, upload }: Inquiry): Reach {
  const hasMedia = price.audioRatioNano !== undefined || price.imageRatioNano !== undefined;
  const holdsMedia = () => upload !== undefined || peek.scan.mediaCount > 0 || mayHold(bytes, mediaWords);
  return {
    media: hasMedia && holdsMedia(),
    lasting: price.cacheWrite1hRatioNano !== undefined && mayHold(bytes, lifetimes),
  };
}

/** As it is written, or behind an escape. */
function mayHold(bytes: Buffer, words: readonly string[]): boolean {
  return [...words, ...letterEscapes].some((word) => bytes.includes(word));
}

/** How Claude's callers and OpenAI's ask for a cache that lasts. */
const lifetimes = ['1h', '12h', '\\u0031', '\\u0032'];

/** A video is named by its type, or by the member that it stands in. */
const mediaWords = ['audio', 'image', '"video'];
