import type { TagUpdate } from '@tollgate/contract';
import { tag_mapping_invalid } from '../../i18n/generated/messages.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { joinList } from '../../lib/lists.ts';

/** The editor's fields; an empty one means unchanged, but an empty name dissolves the tag. */
export interface TagDraft {
  name: string;
  groups: string[];
  models: string[];
  mapping: string;
}

export const tagDraftOf = (tag: string): TagDraft => ({ name: tag, groups: [], models: [], mapping: '' });

/** The fault of the mapping, if it has one. */
export const mappingFault = (text: string): string | undefined =>
  text.trim() === '' || isRecord(parseJson(text)) ? undefined : tag_mapping_invalid();

/** What is sent; undefined when nothing was changed. */
export function tagUpdateOf(tag: string, draft: TagDraft): TagUpdate | undefined {
  const name = draft.name.trim();
  const mapping = draft.mapping.trim();
  const update: TagUpdate = {
    tag,
    ...(name === tag ? {} : { new_tag: name }),
    ...(draft.groups.length > 0 ? { groups: joinList(draft.groups) } : {}),
    ...(draft.models.length > 0 ? { models: joinList(draft.models) } : {}),
    ...(mapping === '' ? {} : { model_mapping: mapping }),
  };
  return Object.keys(update).length > 1 ? update : undefined;
}
