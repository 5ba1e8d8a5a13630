import type { Decoded, PathHints } from '../chat/dialect.ts';
import { asObject, type JsonObject } from '../json.ts';
import { decodeRequest } from './decode-request.ts';
import { camelKeys, numberOf } from './fields.ts';

/** What `:countTokens` counts: its contents alone, or the whole request that it wraps. Never throws. */
export function decodeCountTokens(body: JsonObject, hints: PathHints): Decoded {
  return decodeRequest(countedRequest(body), hints);
}

/** The request that a body of `:countTokens` wraps, or the body itself. */
export function countedRequest(body: JsonObject): JsonObject {
  return asObject(camelKeys(body).generateContentRequest) ?? body;
}

/** The body that asks an upstream: a wrapped request names its model, which is the one that the upstream knows. */
export function countTokensBody(bytes: Buffer, body: JsonObject, model: string): Buffer {
  const { generateContentRequest, ...rest } = camelKeys(body);
  const wrapped = asObject(generateContentRequest);
  if (wrapped === undefined) return bytes;
  return Buffer.from(JSON.stringify({ ...rest, generateContentRequest: { ...wrapped, model: `models/${model}` } }));
}

/** The answer of `:countTokens`. */
export function countTokensAnswer(promptTokens: number): JsonObject {
  return { totalTokens: promptTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }] };
}

/** The count that an upstream answered; undefined when it gave none. */
export function readCountTokens(body: JsonObject): number | undefined {
  const count = numberOf(camelKeys(body).totalTokens);
  return count !== undefined && Number.isInteger(count) && count >= 0 ? count : undefined;
}
