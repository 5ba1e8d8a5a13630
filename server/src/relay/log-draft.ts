import { type LogCut, logType } from '@tollgate/contract';
import { costOf, type LogDraft, priceName, type Signer, type Usage, writeReceipt } from '../billing/index.ts';
import type { Call } from './call.ts';
import { logContent, logFields } from './log-texts.ts';

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
  /** A turn of a session over a WebSocket. */
  readonly isTurn?: true;
  /** Why the answer ended early; absent = it did not. */
  readonly cut?: LogCut | undefined;
  /** Why the call went where it went: JSON of a `CompactRoute`. */
  readonly route?: string;
}

/** The cost of a call and the log row that says why (contract 7.7, 7.8). */
export function draftLog(call: Call, outcome: CallOutcome, sign: Signer): { cost: number; draft: LogDraft } {
  const { usage, channelId, durationMs } = outcome;
  const cost = costOf(call.price, usage);
  const model = priceName(call.model);
  const real = model === call.model ? '' : `，模型 ${call.model}`;
  // Without the log the books still want the amounts and their receipt (rulings 3).
  const isLogged = call.snapshot.options.LogConsumeEnabled;
  return {
    cost,
    draft: {
      type: logType.consume,
      userId: call.key.user.id,
      username: call.key.user.username,
      tokenId: call.key.tokenId,
      tokenName: call.key.tokenName,
      model,
      channelId,
      group: call.group,
      promptTokens: usage.prompt,
      completionTokens: usage.completion,
      useTime: Math.round(durationMs / 1000),
      isStream: call.isStream,
      content: isLogged ? `${logContent(call.price, usage, call.picture)}${real}` : '',
      other: isLogged ? otherText(call, outcome) : '{}',
      requestId: call.id,
      ip: call.ip,
      receipt: writeReceipt(call.id, call.price, usage, cost, sign),
      ...(isLogged ? {} : { hidden: true }),
    },
  };
}

/** Written by hand: this runs for every call, and most of it never changes. */
function otherText({ price }: Call, outcome: CallOutcome): string {
  const { usage, firstByteMs, cut, upstreamModel, tried, route, upstreamProtocol, effort, losses = [] } = outcome;
  const frt = firstByteMs === undefined ? -1000 : Math.round(firstByteMs);
  let text = `{${logFields(price, usage)},"cache_tokens":${usage.cached},"frt":${frt},"duration_ms":${Math.round(outcome.durationMs)},"usage_source":"${usage.source}"`;
  if (outcome.isTurn === true) text += ',"ws":true';
  if (usage.anomaly) text += ',"usage_anomaly":true';
  if (usage.reasoning > 0) text += `,"reasoning_tokens":${usage.reasoning}`;
  if (cut !== undefined) text += cut === 'length' ? ',"cut_by":"length"' : `,"cut":true,"cut_by":"${cut}"`;
  if (upstreamModel !== undefined) text += `,"is_model_mapped":true,"upstream_model_name":${JSON.stringify(upstreamModel)}`;
  if (upstreamProtocol !== undefined) text += `,"upstream_protocol":"${upstreamProtocol}"`;
  if (effort !== undefined) text += `,"reasoning_effort":"${effort}"`;
  if (losses.length > 0) text += `,"losses":${JSON.stringify(losses)}`;
  text += `,"admin_info":{"use_channel":[${tried.map((id) => `"${id}"`).join(',')}]`;
  return route === undefined ? `${text}}}` : `${text},"route":${route}}}`;
}
