import type { Extra } from '../chat/parts.ts';
import { isUnset, type JsonObject } from '../json.ts';
import { saysUnknownLevel } from './reasoning.ts';
import { dialectName } from './types.ts';

/** Members without which a request or an answer means the same; the last segment counts. */
const hintNames: ReadonlySet<string> = new Set([
  'safetyRatings',
  'promptFeedback',
  'createTime',
  'store',
  'labels',
  'thinkingConfig',
  'displayName',
]);

/** Members of this dialect alone that are set; undefined = none. */
export function ownExtra(members: JsonObject): Extra | undefined {
  const fields: JsonObject = {};
  const hints: JsonObject = {};
  for (const [key, value] of Object.entries(members)) {
    if (isUnset(value)) continue;
    const isHint = hintNames.has(key.slice(key.lastIndexOf('.') + 1)) && !saysUnknownLevel(value);
    (isHint ? hints : fields)[key] = value;
  }
  if (Object.keys(hints).length > 0) return { dialect: dialectName, fields, hints };
  return Object.keys(fields).length === 0 ? undefined : { dialect: dialectName, fields };
}

/** The members to restore; undefined when they are another dialect's, whose names are then lost. */
export function restored(extra: Extra | undefined, losses: Set<string>): JsonObject | undefined {
  if (extra === undefined) return undefined;
  if (extra.dialect === dialectName) return { ...extra.fields, ...extra.hints };
  for (const field of Object.keys(extra.fields)) losses.add(field);
  return undefined;
}
