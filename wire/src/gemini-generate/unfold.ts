import type { Unfolding } from '../chat/dialect.ts';
import type { JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import { usageMetadata } from './usage.ts';

/** A whole answer as the stream that says the same: one event, since the two look alike. */
export function unfold(body: JsonObject, { charged }: Unfolding): Buffer {
  const told = body.usageMetadata ?? body.usage_metadata;
  return encodeFrame(JSON.stringify(told === undefined ? { ...body, usageMetadata: usageMetadata(charged) } : body));
}
