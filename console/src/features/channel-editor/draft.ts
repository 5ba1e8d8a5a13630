import type { Channel, ChannelInput, ChannelUpdate } from '@tollgate/contract';
import { parseRecord } from '../../lib/json.ts';
import { joinList, splitLines, splitList } from '../../lib/lists.ts';
import { describeType } from './types/index.ts';

/** The editor's fields as people type them. */
export interface ChannelDraft {
  type: number;
  name: string;
  groups: string[];
  models: string[];
  /** One per line; blank on an existing channel = unchanged. */
  keys: string;
  /** They are added to the stored ones of a channel with several. */
  appendKeys: boolean;
  baseUrl: string;
  organization: string;
  other: string;
  modelMapping: string;
  statusCodeMapping: string;
  testModel: string;
  autoBan: boolean;
  tag: string;
  priority: string;
  weight: string;
  setting: string;
  paramOverride: string;
  headerOverride: string;
}

export const newDraft = (): ChannelDraft => ({
  type: 1,
  name: '',
  groups: ['default'],
  models: [],
  keys: '',
  appendKeys: false,
  baseUrl: '',
  organization: '',
  other: '',
  modelMapping: '',
  statusCodeMapping: '',
  testModel: '',
  autoBan: true,
  tag: '',
  priority: '0',
  weight: '0',
  setting: '',
  paramOverride: '',
  headerOverride: '',
});

export const draftOf = (channel: Channel): ChannelDraft => ({
  type: channel.type,
  name: channel.name,
  groups: splitList(channel.group),
  models: splitList(channel.models),
  keys: '',
  appendKeys: false,
  baseUrl: channel.base_url ?? '',
  organization: channel.openai_organization ?? '',
  other: channel.other ?? '',
  modelMapping: channel.model_mapping ?? '',
  statusCodeMapping: channel.status_code_mapping ?? '',
  testModel: channel.test_model ?? '',
  autoBan: (channel.auto_ban ?? 1) === 1,
  tag: channel.tag ?? '',
  priority: String(channel.priority ?? 0),
  weight: String(channel.weight ?? 0),
  setting: channel.setting ?? '',
  paramOverride: channel.param_override ?? '',
  headerOverride: channel.header_override ?? '',
});

/** The keys that a new channel is made of: one channel per line, unless the type's credential is one text of many lines. */
export function keysOf(draft: Pick<ChannelDraft, 'type' | 'keys'>): string[] {
  if (!describeType(draft.type).key.whole) return splitLines(draft.keys);
  const text = draft.keys.trim();
  return text === '' ? [] : [text];
}

/** Everything that is sent for a new channel. */
export function toInput(draft: ChannelDraft): ChannelInput {
  return {
    type: draft.type,
    name: draft.name.trim(),
    group: joinList(draft.groups),
    models: joinList(draft.models),
    key: keysOf(draft).join('\n'),
    base_url: draft.baseUrl.trim().replace(/\/+$/, ''),
    openai_organization: draft.organization.trim(),
    other: draft.other.trim() || (describeType(draft.type).other?.fallback ?? ''),
    model_mapping: draft.modelMapping.trim(),
    status_code_mapping: draft.statusCodeMapping.trim(),
    test_model: draft.testModel.trim(),
    auto_ban: draft.autoBan ? 1 : 0,
    tag: draft.tag.trim(),
    priority: Number(draft.priority),
    weight: Number(draft.weight),
    setting: draft.setting.trim(),
    param_override: draft.paramOverride.trim(),
    header_override: draft.headerOverride.trim(),
  };
}

const jsonFields: ReadonlySet<string> = new Set([
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'header_override',
]);

/** The same value, or JSON texts that only differ in their layout. */
function isSame(name: string, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!jsonFields.has(name) || !a || !b) return false;
  const [one, other] = [parseRecord(String(a)), parseRecord(String(b))];
  return Object.keys(one).length > 0 && JSON.stringify(one) === JSON.stringify(other);
}

/** Only what differs from the stored channel, with what it differs from; a blank key is never part of it. */
export function toChange(draft: ChannelDraft, channel: Channel): Partial<ChannelUpdate> {
  const before: Record<string, unknown> = toInput(draftOf(channel));
  const change = Object.fromEntries(Object.entries(toInput(draft)).filter(([name, value]) => !isSame(name, value, before[name])));
  const { key, models, group, ...single } = change;
  const seen = Object.fromEntries(movedOf(single, channel));
  return {
    ...change,
    ...(Object.keys(seen).length > 0 ? { seen } : {}),
    ...(change.key && draft.appendKeys ? { key_mode: 'append' } : {}),
    ...(change.models === undefined ? {} : { seen_models: channel.models }),
    ...(change.group === undefined ? {} : { seen_group: channel.group }),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** What `now` has of these fields, where it is another. */
export const movedOf = (seen: Values, now: Channel): [string, unknown][] =>
  Object.entries(now).filter(([name, value]) => name in seen && seen[name] !== value);

/** Adds model names typed as a comma list. `known`: some of them are there already. */
export function addModels(models: readonly string[], typed: string): { models: string[]; known: boolean } {
  const names = splitList(typed);
  return { models: [...new Set([...models, ...names])], known: names.some((name) => models.includes(name)) };
}
