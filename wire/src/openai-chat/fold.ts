import { asObject, asObjects, asText, type JsonObject, parseObject } from '../json.ts';
import { decodeFrames } from '../sse.ts';
import { isErrorAnswer } from './error.ts';
import { textFields } from './types.ts';

/** The chunks of a stream up to its terminator; illegal events are left out. For slow paths and tests. */
export function decodeStream(bytes: Buffer): { readonly chunks: JsonObject[]; readonly done: boolean } {
  const chunks: JsonObject[] = [];
  for (const { data = '' } of decodeFrames(bytes)) {
    if (data.trim() === '[DONE]') return { chunks, done: true };
    const chunk = parseObject(data);
    if (chunk !== undefined) chunks.push(chunk);
  }
  return { chunks, done: false };
}

/** Folds the chunks of a stream into the answer that the same call would have had without streaming. */
export function foldChunks(chunks: readonly JsonObject[]): JsonObject {
  const answer: JsonObject = {};
  const choices = new Map<number, JsonObject>();
  for (const chunk of chunks) {
    if (isErrorAnswer(chunk)) continue;
    for (const [key, value] of Object.entries(chunk)) {
      if (key === 'choices' || key === 'obfuscation') continue;
      if (key === 'object') answer.object = 'chat.completion';
      else if (value !== null || !(key in answer)) answer[key] = value;
    }
    for (const choice of asObjects(chunk.choices)) foldChoice(choices, choice);
  }
  const folded = [...choices.entries()].sort(([a], [b]) => a - b).map(([, choice]) => choice);
  return { ...answer, choices: folded };
}

function foldChoice(choices: Map<number, JsonObject>, choice: JsonObject): void {
  const index = typeof choice.index === 'number' ? choice.index : 0;
  const into = choices.get(index) ?? { index, message: { role: 'assistant', content: null } };
  choices.set(index, into);
  for (const [key, value] of Object.entries(choice)) {
    if (key === 'index' || key === 'delta') continue;
    if (value !== null || !(key in into)) into[key] = value;
  }
  foldDelta(asObject(into.message) ?? {}, asObject(choice.delta) ?? {});
}

function foldDelta(message: JsonObject, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'function_call') message.function_call = joinFunction(message.function_call, value);
    else if (key === 'tool_calls') message.tool_calls = foldCalls(asObjects(message.tool_calls), asObjects(value));
    else if (textFields.includes(key) && typeof value === 'string') message[key] = asText(message[key]) + value;
    else if (value !== null || !(key in message)) message[key] = value;
  }
}

function foldCalls(calls: JsonObject[], deltas: readonly JsonObject[]): JsonObject[] {
  for (const delta of deltas) {
    const { index, function: inner, ...rest } = delta;
    const at = typeof index === 'number' && index >= 0 && index <= calls.length ? index : calls.length;
    const call = calls[at] ?? {};
    calls[at] = call;
    Object.assign(call, rest);
    if (inner !== undefined) call.function = joinFunction(call.function, inner);
  }
  return calls;
}

function joinFunction(known: unknown, piece: unknown): JsonObject {
  const [a, b] = [asObject(known), asObject(piece)];
  return { name: asText(a?.name) + asText(b?.name), arguments: asText(a?.arguments) + asText(b?.arguments) };
}
