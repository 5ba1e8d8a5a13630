import { spelledExtra } from '../chat/losses.ts';
import type { Extra } from '../chat/parts.ts';
import type { JsonObject } from '../json.ts';
import { dialectName, type Target } from './content.ts';

/** Fields without which an answer means the same: not worth a loss where they cannot be said. */
const hintFields: ReadonlySet<string> = new Set([
  ...['system_fingerprint', 'store', 'prompt_cache_retention', 'prompt_cache_breakpoint', 'prediction'],
]);

/** Fields of this dialect alone; undefined = none. */
export function ownExtra(fields: JsonObject | undefined): Extra | undefined {
  if (fields === undefined) return undefined;
  const said: JsonObject = {};
  let hints: JsonObject | undefined;
  for (const [key, value] of Object.entries(fields)) {
    if (hintFields.has(key)) hints = { ...hints, [key]: value };
    else said[key] = value;
  }
  return { dialect: dialectName, fields: said, ...(hints === undefined ? {} : { hints }) };
}

/** The fields to spread when they are this dialect's; losses otherwise. */
export function encodeExtra(extra: Extra | undefined, lose: Target['lose']): JsonObject {
  return spelledExtra(dialectName, extra, lose);
}
