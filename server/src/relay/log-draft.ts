import { logType } from '@tollgate/contract';
import {
  costOf,
  type LogDraft,
  nanoToNumber,
  type PriceSnapshot,
  type Signer,
  type Usage,
  writeReceipt,
} from '../billing/index.ts';
import type { Call } from './call.ts';

/** What an ended call has to tell its log row. */
export interface CallOutcome {
  readonly usage: Usage;
  readonly channelId: number;
  /** Channel ids in the order they were tried. */
  readonly tried: readonly number[];
  /** From arrival to the first forwarded byte; undefined when there was none. */
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
  /** The name sent upstream when it differs from the caller's. */
  readonly upstreamModel: string | undefined;
  /** The upstream's dialect, when it is not the caller's. */
  readonly upstreamProtocol?: string;
  /** What one of the two dialects could not say. */
  readonly losses?: readonly string[];
  /** How hard the model thinks because its name says so. */
  readonly effort?: string;
  /** The upstream or the caller ended the answer early. */
  readonly cut: boolean;
  /** Why the call went where it went: JSON of a `CompactRoute`. */
  readonly route?: string;
}

/** The cost of a call and the log row that says why (contract 7.7, 7.8). */
export function draftLog(call: Call, outcome: CallOutcome, sign: Signer): { cost: number; draft: LogDraft } {
  return draft(call, outcome, otherText(call, outcome), sign);
}

/** What a sweep would book for a call whose process died: the likely prompt, unsigned. */
export function draftHold(call: Call, usage: Usage): { cost: number; draft: LogDraft } {
  const outcome = { usage, channelId: 0, durationMs: 0 };
  return draft(call, outcome, `{${priceTexts(call.price).other}}`, unsigned);
}

const unsigned: Signer = () => '';

type Essentials = Pick<CallOutcome, 'usage' | 'channelId' | 'durationMs'>;

function draft(
  call: Call,
  { usage, channelId, durationMs }: Essentials,
  other: string,
  sign: Signer,
): { cost: number; draft: LogDraft } {
  const cost = costOf(call.price, usage);
  const { content } = priceTexts(call.price);
  return {
    cost,
    draft: {
      type: logType.consume,
      userId: call.key.user.id,
      username: call.key.user.username,
      tokenId: call.key.tokenId,
      tokenName: call.key.tokenName,
      model: call.model,
      channelId,
      group: call.group,
      promptTokens: usage.prompt,
      completionTokens: usage.completion,
      useTime: Math.round(durationMs / 1000),
      isStream: call.isStream,
      content: usage.prompt + usage.completion === 0 ? `${content}（可能是上游超时）` : content,
      other,
      requestId: call.id,
      ip: call.ip,
      receipt: writeReceipt(call.id, call.price, usage, cost, sign),
    },
  };
}

interface PriceTexts {
  /** Contract 7.7. */
  readonly content: string;
  /** The members of `other` that only the price decides (contract 7.8), without braces. */
  readonly other: string;
}

const textsOfPrices = new WeakMap<PriceSnapshot, PriceTexts>();

/** Many calls share one price record: its texts are made once. */
function priceTexts(price: PriceSnapshot): PriceTexts {
  const known = textsOfPrices.get(price);
  if (known !== undefined) return known;
  const texts = { content: priceContent(price), other: JSON.stringify(priceFields(price)).slice(1, -1) };
  textsOfPrices.set(price, texts);
  return texts;
}

function priceContent(price: PriceSnapshot): string {
  const group = `分组倍率 ${fixed(price.groupRatioNano)}`;
  return price.kind === 'call'
    ? `模型价格 ${fixed(price.callPriceNano)}，${group}`
    : `模型倍率 ${fixed(price.modelRatioNano)}，补全倍率 ${fixed(price.completionRatioNano)}，${group}`;
}

function priceFields(price: PriceSnapshot): Record<string, number> {
  const groupRatio = nanoToNumber(price.groupRatioNano);
  return {
    model_ratio: nanoToNumber(price.modelRatioNano),
    group_ratio: groupRatio,
    ...(price.specialGroup ? { user_group_ratio: groupRatio } : {}),
    completion_ratio: nanoToNumber(price.completionRatioNano),
    model_price: price.kind === 'call' ? nanoToNumber(price.callPriceNano) : -1,
    cache_ratio: nanoToNumber(price.cacheRatioNano),
  };
}

/** Written by hand: this runs for every call, and most of it never changes. */
function otherText({ price }: Call, outcome: CallOutcome): string {
  const { usage, firstByteMs, cut, upstreamModel, tried, route, upstreamProtocol, effort, losses = [] } = outcome;
  const frt = firstByteMs === undefined ? -1000 : Math.round(firstByteMs);
  let text = `{${priceTexts(price).other},"cache_tokens":${usage.cached},"frt":${frt},"usage_source":"${usage.source}"`;
  if (usage.cacheWrite > 0) {
    text += `,"cache_creation_tokens":${usage.cacheWrite},"cache_creation_ratio":${nanoToNumber(price.cacheWriteRatioNano)}`;
  }
  if (usage.anomaly) text += ',"usage_anomaly":true';
  if (usage.reasoning > 0) text += `,"reasoning_tokens":${usage.reasoning}`;
  if (cut) text += ',"cut":true';
  if (upstreamModel !== undefined) text += `,"is_model_mapped":true,"upstream_model_name":${JSON.stringify(upstreamModel)}`;
  if (upstreamProtocol !== undefined) text += `,"upstream_protocol":"${upstreamProtocol}"`;
  if (effort !== undefined) text += `,"reasoning_effort":"${effort}"`;
  if (losses.length > 0) text += `,"losses":${JSON.stringify(losses)}`;
  text += `,"admin_info":{"use_channel":[${tried.map((id) => `"${id}"`).join(',')}]`;
  return route === undefined ? `${text}}}` : `${text},"route":${route}}}`;
}

function fixed(nanoValue: number): string {
  return nanoToNumber(nanoValue).toFixed(2);
}
