import type { Unfolding } from '../chat/dialect.ts';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import { encodeUsage } from './encode-response.ts';
import { doneFrame } from './stream.ts';
import { usageOf } from './usage.ts';

/** A whole answer as the stream that says the same. */
export function unfold(body: JsonObject, unfolding: Unfolding): Buffer {
  return unfoldChoices(body, 'chat.completion.chunk', unfolding, ({ message, delta, finish_reason, ...choice }, index) => [
    { index, ...choice, delta: deltaOf(asObject(message) ?? asObject(delta) ?? {}), finish_reason: null },
    { index, delta: {}, logprobs: null, finish_reason: finish_reason ?? null },
  ]);
}

/** The same for any answer made of choices: `chunksOf` gives those of one. */
export function unfoldChoices(
  body: JsonObject,
  object: string,
  { wantsUsage, charged }: Unfolding,
  chunksOf: (choice: JsonObject, index: unknown) => readonly JsonObject[],
): Buffer {
  const { choices, usage, ...head } = body;
  const frame = (more: JsonObject) => encodeFrame(JSON.stringify({ ...head, object, ...more }));
  const chunks = asObjects(choices).flatMap((choice, index) => chunksOf(choice, choice.index ?? index));
  const figures = wantsUsage ? [frame({ choices: [], usage: asObject(usage) ?? encodeUsage(usageOf(body) ?? charged) })] : [];
  return Buffer.concat([...chunks.map((chunk) => frame({ choices: [chunk] })), ...figures, doneFrame]);
}

/** In a stream the calls are numbered. */
function deltaOf(message: JsonObject): JsonObject {
  const { tool_calls } = message;
  if (!Array.isArray(tool_calls)) return message;
  return { ...message, tool_calls: asObjects(tool_calls).map((call, index) => ({ index, ...call })) };
}
