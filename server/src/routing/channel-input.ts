import { type ChannelInput, type ChannelUpdate, channelStatus, channelTypes, fields } from '@tollgate/contract';
import { replay } from '../platform/entries.ts';
import { PublicError } from '../platform/errors.ts';
import { isProxyAddress } from '../platform/http/proxy.ts';
import { splitList } from '../platform/split-list.ts';
import { JsonRefused, parseStrictJson } from '../platform/strict-json.ts';
import { readHeaderOverride } from './channel-headers.ts';
import { checkSpecialFields, credentialsIn } from './channel-rules.ts';
import { onlyStatuses } from './status-mapping.ts';

/** The columns that an administrator writes, as stored. */
export interface ChannelColumns {
  type: number;
  openai_organization: string;
  test_model: string;
  name: string;
  weight: number;
  priority: number;
  base_url: string;
  other: string;
  models: string;
  group_names: string;
  model_mapping: string;
  status_code_mapping: string;
  auto_ban: number;
  tag: string;
  setting: string;
  param_override: string;
  header_override: string;
}

type Fields = Partial<Omit<ChannelInput, 'copy_from'>>;

const jsonFields = ['model_mapping', 'status_code_mapping', 'setting', 'param_override', 'header_override'] as const;
const textFields = ['openai_organization', 'test_model', 'other', 'tag'] as const;
const maxModelName = 255;
export const maxKeys = 1000;

/** The columns of the keys that are present (contract 4.5). Throws PublicError with the contract's texts. */
export function readColumns(input: Fields): Partial<ChannelColumns> {
  const columns: Partial<ChannelColumns> = {};
  if (input.type !== undefined) columns.type = knownType(input.type);
  if (input.name !== undefined) columns.name = input.name;
  if (input.weight !== undefined) columns.weight = input.weight ?? 0;
  if (input.priority !== undefined) columns.priority = input.priority ?? 0;
  if (input.auto_ban !== undefined) columns.auto_ban = input.auto_ban ?? 1;
  if (input.base_url !== undefined) columns.base_url = baseUrl(input.base_url ?? '');
  if (input.models !== undefined) columns.models = models(input.models).join(',');
  if (input.group !== undefined) columns.group_names = groups(input.group).join(',');
  for (const field of textFields) if (input[field] !== undefined) columns[field] = input[field]?.trim() ?? '';
  for (const field of jsonFields) if (input[field] !== undefined) columns[field] = jsonObject(field, input[field] ?? '');
  return columns;
}

type Seen = Pick<ChannelUpdate, 'seen' | 'seen_models' | 'seen_group'>;

/**
 * What differs from what its editor saw, as changes of what is there now. Throws PublicError where nothing is left of a list, and
 * `channel_moved` where both sides changed the same.
 */
export function onPresent(
  columns: Partial<ChannelColumns>,
  present: ChannelColumns,
  { seen = {}, seen_models: seenModels, seen_group: seenGroup }: Seen,
): Partial<ChannelColumns> {
  const next: Partial<ChannelColumns> = { ...columns, ...replayed(columns, present, seen) };
  if (columns.models !== undefined && seenModels !== undefined)
    next.models = models(merged(columns.models, present.models, seenModels)).join(',');
  if (columns.group_names !== undefined && seenGroup !== undefined)
    next.group_names = groups(merged(columns.group_names, present.group_names, seenGroup)).join(',');
  return next;
}

/** The JSON objects that others changed as well, with both sides' entries. */
function replayed(columns: Partial<ChannelColumns>, present: ChannelColumns, seen: NonNullable<Seen['seen']>) {
  const texts: Partial<ChannelColumns> = {};
  const moved: string[] = [];
  for (const field of Object.keys(seen) as (keyof typeof seen)[]) {
    const [was, wanted, now] = [seen[field] ?? '', columns[field], present[field]];
    if (wanted === undefined || now === was || now === wanted) continue;
    const json = jsonFields.find((name) => name === field);
    const text = json && replay({ was: String(was), wanted: String(wanted), now: String(now) });
    if (json === undefined || text === undefined) moved.push(field);
    else texts[json] = text;
  }
  if (moved.length > 0) throw new PublicError('channel_moved', { fields: moved.join(', ') });
  return texts;
}

function merged(wanted: string, present: string, seen: string): string {
  const [own, now] = [splitList(wanted), splitList(present)];
  const [isOwn, isThere, wasThere] = [new Set(own), new Set(now), new Set(splitList(seen))];
  const kept = own.filter((name) => !wasThere.has(name) || isThere.has(name));
  const others = now.filter((name) => !wasThere.has(name) && !isOwn.has(name));
  return [...kept, ...others].join(',');
}

/** A complete new row; absent fields get their defaults. */
export function completeColumns(input: Fields): ChannelColumns {
  const columns = readColumns(input);
  const { type, name, models: modelList, group_names: groupList } = columns;
  if (type === undefined) throw new PublicError('channel_type_unknown');
  if (name === undefined) throw new PublicError('channel_key_missing');
  if (modelList === undefined) throw new PublicError('channel_models_missing');
  if (groupList === undefined) throw new PublicError('channel_groups_missing');
  const complete = { ...emptyColumns, ...columns, type, name, models: modelList, group_names: groupList };
  return { ...complete, other: checkSpecialFields(complete) };
}

const emptyColumns = {
  openai_organization: '',
  test_model: '',
  weight: 0,
  priority: 0,
  base_url: '',
  other: '',
  model_mapping: '',
  status_code_mapping: '',
  auto_ban: 1,
  tag: '',
  setting: '',
  param_override: '',
  header_override: '',
};

/** The credentials in the key field, as this type writes them. Throws PublicError when one cannot be used. */
export function keyLines(type: number, text: string): string[] {
  return credentialsIn(type, text, maxKeys);
}

/** Status that a person may set; 3 belongs to the automatic switch. */
export function personalStatus(status: number | undefined, present: number): number {
  if (status === undefined || status === present) return present;
  if (status === channelStatus.enabled || status === channelStatus.disabled) return status;
  throw new PublicError('parameter_error');
}

function knownType(type: number): number {
  if (!channelTypes.some((known) => known.type === type)) throw new PublicError('channel_type_unknown');
  return type;
}

function models(text: string): string[] {
  const names = splitList(text);
  if (names.length === 0) throw new PublicError('channel_models_missing');
  for (const model of names) {
    const shown = [...model].slice(0, 64).join('');
    if (model.length > maxModelName) throw new PublicError('model_name_too_long', { model: shown });
    if (!fields.modelName.safeParse(model).success) throw new PublicError('model_name_invalid', { model: shown });
  }
  return names;
}

function groups(text: string): string[] {
  const names = splitList(text);
  if (names.length === 0) throw new PublicError('channel_groups_missing');
  const unusable = names.find((group) => !fields.groupName.safeParse(group).success);
  if (unusable !== undefined) throw new PublicError('group_name_invalid', { name: unusable });
  return names;
}

/** http or https, no credentials in it, the host spelled out; without a trailing slash. */
function baseUrl(text: string): string {
  const address = text.trim().replace(/\/+$/, '');
  if (address === '') return '';
  const url = URL.parse(address);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  const isSpelledOut = isHttp && url.host !== '' && url.username === '' && url.password === '';
  if (!isSpelledOut || /[{}]/.test(url.host) || /\s/.test(address)) throw new PublicError('channel_base_url_invalid');
  return address;
}

function jsonObject(field: (typeof jsonFields)[number], text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const refused = new PublicError('channel_json_invalid', { field });
  try {
    const value = parseStrictJson(trimmed);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused;
    if (field === 'setting') checkProxy(value as Record<string, unknown>);
    if (field === 'header_override') readHeaderOverride(value as Record<string, unknown>);
    if (field === 'status_code_mapping') checkStatuses(value as Record<string, unknown>);
    if (field === 'model_mapping' && Object.values(value).some((entry) => typeof entry !== 'string')) throw refused;
  } catch (error) {
    if (error instanceof JsonRefused) throw refused;
    throw error;
  }
  return trimmed;
}

function checkStatuses(mapping: Readonly<Record<string, unknown>>): void {
  if (Object.keys(onlyStatuses(mapping)).length < Object.keys(mapping).length) throw new PublicError('channel_statuses_invalid');
}

function checkProxy({ proxy }: Readonly<Record<string, unknown>>): void {
  if (proxy === undefined || proxy === null || proxy === '') return;
  if (typeof proxy !== 'string' || !isProxyAddress(proxy.trim())) throw new PublicError('channel_proxy_invalid');
}
