import { noArguments, type Part } from '../../chat/parts.ts';
import type { ChatResponse, Finish } from '../../chat/response.ts';
import { asNumber, asObject, asObjects, asText, entryOf, type JsonObject } from '../../json.ts';
import type { TokenUsage } from '../../usage.ts';
import { plainUsage } from '../usage.ts';
import { dialect } from './types.ts';

const reasons: Readonly<Record<string, Finish['reason']>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
};

export function finishOf(raw: string): Finish {
  return { reason: entryOf(reasons, raw) ?? 'other', raw };
}

/** What is billed counts; the figures of the tokenizer stand in for it. */
export function readUsage(raw: unknown): TokenUsage | undefined {
  const usage = asObject(raw);
  const billed = asObject(usage?.billed_units);
  const tokens = asObject(usage?.tokens);
  return plainUsage({
    prompt: billed?.input_tokens ?? tokens?.input_tokens,
    completion: billed?.output_tokens ?? tokens?.output_tokens,
    cached: Math.min(asNumber(usage?.cached_tokens), asNumber(billed?.input_tokens ?? tokens?.input_tokens)) || undefined,
  });
}

export function decodeResponse(body: JsonObject): ChatResponse {
  const message = asObject(body.message) ?? {};
  const reason = asText(body.finish_reason);
  const usage = readUsage(body.usage);
  return {
    id: asText(body.id),
    model: '',
    answers: [{ parts: partsOf(message), ...(reason === '' ? {} : { finish: finishOf(reason) }) }],
    ...(usage === undefined ? {} : { usage }),
  };
}

function partsOf(message: JsonObject): Part[] {
  const plan = asText(message.tool_plan);
  const parts: Part[] = plan === '' ? [] : [{ kind: 'reasoning', text: plan, dialect }];
  let citations = asObjects(message.citations);
  for (const block of asObjects(message.content)) {
    if (block.type === 'thinking') parts.push({ kind: 'reasoning', text: asText(block.thinking), dialect });
    else if (typeof block.text === 'string') {
      parts.push({ kind: 'text', text: block.text, ...(citations.length === 0 ? {} : { citations }) });
      citations = [];
    }
  }
  for (const call of asObjects(message.tool_calls)) {
    const inner = asObject(call.function);
    const text = asText(inner?.arguments) || noArguments;
    parts.push({ kind: 'tool-call', id: asText(call.id), name: asText(inner?.name), arguments: text });
  }
  return parts;
}
