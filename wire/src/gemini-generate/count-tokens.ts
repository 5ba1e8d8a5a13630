import type { Decoded, PathHints } from '../chat/dialect.ts';
import { asObject, type JsonObject } from '../json.ts';
import { decodeRequest } from './decode-request.ts';
import { camelKeys, numberOf } from './fields.ts';

/** What `:countTokens` counts: its contents alone, or the whole request that it wraps. Never throws. */
export function decodeCountTokens(body: JsonObject, hints: PathHints): Decoded {
  const { generateContentRequest } = camelKeys(body);
  return decodeRequest(asObject(generateContentRequest) ?? body, hints);
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
