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
  /** The upstream or the caller ended the answer early. */
  readonly cut: boolean;
}

/** The cost of a call and the log row that says why (contract 7.7, 7.8). */
export function draftLog(call: Call, outcome: CallOutcome, sign: Signer): { cost: number; draft: LogDraft } {
  const { usage } = outcome;
  const cost = costOf(call.price, usage);
  const draft: LogDraft = {
    type: logType.consume,
    userId: call.key.user.id,
    username: call.key.user.username,
    tokenId: call.key.tokenId,
    tokenName: call.key.tokenName,
    model: call.model,
    channelId: outcome.channelId,
    group: call.group,
    promptTokens: usage.prompt,
    completionTokens: usage.completion,
    useTime: Math.round(outcome.durationMs / 1000),
    isStream: call.isStream,
    content: contentText(call.price, usage),
    other: JSON.stringify(otherFields(call, outcome)),
    requestId: call.id,
    ip: call.ip,
    receipt: writeReceipt(call.id, call.price, usage, cost, sign),
  };
  return { cost, draft };
}

const priceContents = new WeakMap<PriceSnapshot, string>();

function contentText(price: PriceSnapshot, usage: Usage): string {
  const known = priceContents.get(price);
  const text = known ?? priceContent(price);
  if (known === undefined) priceContents.set(price, text);
  return usage.prompt + usage.completion === 0 ? `${text}（可能是上游超时）` : text;
}

function priceContent(price: PriceSnapshot): string {
  const group = `分组倍率 ${fixed(price.groupRatioNano)}`;
  return price.kind === 'call'
    ? `模型价格 ${fixed(price.callPriceNano)}，${group}`
    : `模型倍率 ${fixed(price.modelRatioNano)}，补全倍率 ${fixed(price.completionRatioNano)}，${group}`;
}

function otherFields(call: Call, outcome: CallOutcome): Record<string, unknown> {
  const { price } = call;
  const { usage } = outcome;
  const groupRatio = nanoToNumber(price.groupRatioNano);
  return {
    model_ratio: nanoToNumber(price.modelRatioNano),
    group_ratio: groupRatio,
    ...(price.specialGroup ? { user_group_ratio: groupRatio } : {}),
    completion_ratio: nanoToNumber(price.completionRatioNano),
    model_price: price.kind === 'call' ? nanoToNumber(price.callPriceNano) : -1,
    cache_tokens: usage.cached,
    cache_ratio: nanoToNumber(price.cacheRatioNano),
    ...(usage.cacheWrite > 0
      ? { cache_creation_tokens: usage.cacheWrite, cache_creation_ratio: nanoToNumber(price.cacheWriteRatioNano) }
      : {}),
    frt: outcome.firstByteMs === undefined ? -1000 : Math.round(outcome.firstByteMs),
    usage_source: usage.source,
    ...(usage.anomaly ? { usage_anomaly: true } : {}),
    ...(usage.reasoning > 0 ? { reasoning_tokens: usage.reasoning } : {}),
    ...(outcome.cut ? { cut: true } : {}),
    ...(outcome.upstreamModel === undefined ? {} : { is_model_mapped: true, upstream_model_name: outcome.upstreamModel }),
    admin_info: { use_channel: outcome.tried.map(String) },
  };
}

function fixed(nanoValue: number): string {
  return nanoToNumber(nanoValue).toFixed(2);
}
