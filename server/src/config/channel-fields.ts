import { type ChannelInput, channelStatus, channelTypes } from '@tollgate/contract';
import type { ChannelColumns } from '../routing/index.ts';
import { type Fields, isRecord, Secret, type Value } from './value.ts';

type InputName = Exclude<keyof ChannelInput, 'copy_from' | 'key'>;

/** How a field of a channel is written in a file, and what it is called where channels are entered. */
interface ChannelField {
  readonly form: 'type' | 'text' | 'whole' | 'list' | 'flag' | 'json' | 'status';
  readonly input: InputName;
  readonly column: keyof ChannelColumns | 'status';
}

const field = (form: ChannelField['form'], input: InputName, column: ChannelField['column'] = input as keyof ChannelColumns) =>
  ({ form, input, column }) as const;

/** Every field of a channel beside its name and its keys, in the order in which they are written. */
export const channelFields: Readonly<Record<string, ChannelField>> = {
  type: field('type', 'type'),
  base_url: field('text', 'base_url'),
  status: field('status', 'status', 'status'),
  groups: field('list', 'group', 'group_names'),
  models: field('list', 'models'),
  priority: field('whole', 'priority'),
  weight: field('whole', 'weight'),
  tag: field('text', 'tag'),
  auto_ban: field('flag', 'auto_ban'),
  test_model: field('text', 'test_model'),
  openai_organization: field('text', 'openai_organization'),
  other: field('text', 'other'),
  model_mapping: field('json', 'model_mapping'),
  status_code_mapping: field('json', 'status_code_mapping'),
  setting: field('json', 'setting'),
  param_override: field('json', 'param_override'),
  header_override: field('json', 'header_override'),
};

/** A channel as it lies in the database, in what an operator sets of it. */
export type StoredFields = ChannelColumns & { readonly status: number };

/** The fields of a channel that differ from the defaults. Whether it was switched off by itself is not configuration. */
export function describeChannel(row: StoredFields): Fields {
  return new Map(
    Object.entries(channelFields).flatMap(([name, { form, column }]): [string, Value][] => {
      const value = describe(name, form, row[column]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function describe(name: string, form: ChannelField['form'], stored: string | number): Value | undefined {
  if (form === 'type') return channelTypes.find(({ type }) => type === stored)?.label ?? stored;
  if (form === 'status') return stored === channelStatus.disabled ? 'disabled' : undefined;
  if (form === 'flag') return stored === 1 ? undefined : false;
  if (stored === '' || stored === 0) return undefined;
  if (form === 'list') return String(stored).split(',');
  if (form === 'json') return name === 'setting' ? hidingProxy(parsed(String(stored))) : exactly(String(stored));
  return stored;
}

/** JSON as a map where nothing is lost by that, else its text: a number may have more digits than ours hold. */
function exactly(text: string): Value {
  const value = parsed(text);
  return JSON.stringify(value) === withoutSpace(text) ? value : text;
}

function parsed(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

function withoutSpace(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted: string | undefined) => quoted ?? '');
}

/** The address of a proxy may hold its password. */
function hidingProxy(setting: Value): Value {
  if (!isRecord(setting) || typeof setting.proxy !== 'string' || !setting.proxy.includes('@')) return setting;
  return { ...setting, proxy: new Secret(setting.proxy) };
}
