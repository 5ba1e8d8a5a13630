import { type Losses, spelledExtra } from '../chat/losses.ts';
import type { Extra } from '../chat/parts.ts';
import { asObject, type JsonObject } from '../json.ts';
import { dialectName } from './types.ts';

/** Fields of this dialect as members to spread; those of another one are losses. */
export function ownFields(extra: Extra | undefined, { lose }: Losses): JsonObject {
  return spelledExtra(dialectName, extra, lose);
}

/** What an answer says beside what the model did; undefined = nothing. */
export function answerExtra({ moderation }: JsonObject): Extra | undefined {
  return asObject(moderation) === undefined ? undefined : { dialect: dialectName, fields: { moderation } };
}
