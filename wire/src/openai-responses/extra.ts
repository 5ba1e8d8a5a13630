import type { Losses } from '../chat/losses.ts';
import type { Extra } from '../chat/parts.ts';
import { asObject, type JsonObject } from '../json.ts';
import { dialectName } from './types.ts';

/** Fields of this dialect as members to spread; those of another one are losses. */
export function ownFields(extra: Extra | undefined, { lose }: Losses): JsonObject {
  if (extra === undefined) return {};
  if (extra.dialect === dialectName) return { ...extra.fields, ...extra.hints };
  for (const field of Object.keys(extra.fields)) lose(field);
  return {};
}

/** What an answer says beside what the model did; undefined = nothing. */
export function answerExtra({ moderation }: JsonObject): Extra | undefined {
  return asObject(moderation) === undefined ? undefined : { dialect: dialectName, fields: { moderation } };
}
