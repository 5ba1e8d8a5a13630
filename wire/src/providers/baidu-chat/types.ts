import { noArguments, type ToolCallPart } from '../../chat/parts.ts';
import type { Finish } from '../../chat/response.ts';
import { asObject, asText, type JsonObject } from '../../json.ts';

export const dialect = 'baidu-chat';

const reasons: ReadonlyMap<string, Finish['reason']> = new Map([
  ['normal', 'stop'],
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['function_call', 'tool-calls'],
]);

/** Older models give no reason; what they cut off or called tells it. */
export function finishOf(answer: JsonObject, hasCall: boolean): Finish {
  const raw = asText(answer.finish_reason) || (answer.is_truncated === true ? 'length' : hasCall ? 'function_call' : 'normal');
  return { reason: hasCall ? 'tool-calls' : (reasons.get(raw) ?? 'other'), raw };
}

/** The dialect has one call per answer and no ids: the answer's own serves. */
export function callOf(answer: JsonObject): ToolCallPart | undefined {
  const call = asObject(answer.function_call);
  const name = asText(call?.name);
  if (call === undefined || name === '') return undefined;
  return { kind: 'tool-call', id: callId(answer), name, arguments: asText(call.arguments) || noArguments };
}

export function callId(answer: JsonObject): string {
  return `call_${asText(answer.id)}`;
}

/** Unix seconds, where the answer has them. */
export function createdOf({ created }: JsonObject): number | undefined {
  return typeof created === 'number' && created > 0 ? created : undefined;
}
