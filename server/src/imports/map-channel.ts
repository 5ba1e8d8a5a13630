import { type ChannelInput, channelStatus } from '@tollgate/contract';
import { onlyStatuses } from '../routing/index.ts';
import type { Product } from './product.ts';
import {
  hubPaths,
  hubSwitches,
  laiskyPrices,
  laiskySwitches,
  modelUpdates,
  switches,
  usualWays,
} from './providers/channel-settings.ts';
import { credentialIn, otherMembers, type TypeTarget, typeOf } from './providers/channel-types.ts';
import type { Row } from './source.ts';
import { isDeleted, jsonObject, recordIn, text, whole, words } from './values.ts';

export interface MappedChannel {
  readonly key: string;
  readonly input: ChannelInput;
  readonly status: number;
  /** Credentials that are switched off alone. */
  readonly offKeys: readonly { readonly key: string; readonly reason: string }[];
  readonly used: number;
  readonly notes: readonly string[];
}

const customType = 8;
/** Where calls of a channel go that has no address and no counterpart: nowhere. */
const nowhere = 'https://address-missing.invalid';
const keyOn = 1;
/** What may be entered here, and be written in a file of the configuration. */
const [weights, priorities] = [[0, 1_000_000] as const, [-999, 1_000_000] as const];

/**
 * A channel as it will be here. Whatever of it cannot be read, or would send its calls to another place or with another
 * credential, switches it off; what else has no counterpart stands in the report.
 */
export function mapChannel(product: Product, row: Row): MappedChannel | { readonly key: string; readonly skip: 'deleted' } {
  const key = text(row, 'id');
  if (isDeleted(row)) return { key, skip: 'deleted' };
  const notes: string[] = [];
  const object = (column: string): Readonly<Record<string, unknown>> => {
    const value = jsonObject(text(row, column));
    if (value === undefined) notes.push('bad_json');
    return value ?? {};
  };
  const within = (column: string, [least, most]: readonly [number, number]): number => {
    const found = whole(row, column);
    const bounded = Math.min(most, Math.max(least, found));
    if (bounded !== found) notes.push('bounded');
    return bounded;
  };
  const target = typeOf(product, whole(row, 'type'));
  if (target === undefined) notes.push('unmapped_type');
  if (target?.review) notes.push('review');
  // A site of new-api that was one-api before has columns that nothing there reads any more.
  const isOlder = product !== 'new-api';
  const config = isOlder ? object('config') : {};
  const address = addressOf(row, target, product);
  const lacksAddress = target?.needsAddress === true && address === '';
  const keys = keysOf(row, config, target, object('channel_info'));
  const prompt = isOlder ? text(row, 'system_prompt') : '';
  const setting = settingOf(row, object('setting'), { mode: keys.mode, prompt });
  const { operations, ...override } = object('param_override');
  // Steps that new-api takes with a request; to any other vendor they are a parameter that it refuses.
  const hasSteps = Array.isArray(operations);
  const input: ChannelInput = {
    type: target === undefined || lacksAddress ? customType : target.type,
    key: keys.text,
    name: text(row, 'name') || `${product} ${key}`,
    models: words(text(row, 'models')).join(',') || 'none',
    group: words(text(row, 'group')).join(',') || 'default',
    base_url: address,
    other: otherOf(row, config, target),
    openai_organization: text(row, 'openai_organization'),
    test_model: text(row, 'test_model') || text(row, 'testing_model'),
    weight: within('weight', weights),
    priority: within('priority', priorities),
    auto_ban: row.auto_ban === undefined || row.auto_ban === null ? 1 : whole(row, 'auto_ban'),
    tag: text(row, 'tag'),
    model_mapping: jsonText(object('model_mapping')),
    status_code_mapping: jsonText(onlyStatuses(object('status_code_mapping'))),
    param_override: jsonText({
      ...object('custom_parameter'),
      ...override,
      ...(operations === undefined || hasSteps ? {} : { operations }),
    }),
    header_override: jsonText({ ...object('model_headers'), ...object('header_override') }),
    setting: jsonText(setting),
  };
  if (isOlder && (Object.keys(object('model_configs')).length > 0 || isSet(row, ...laiskyPrices))) notes.push('own_prices');
  const settings = object('settings');
  if (Object.entries(usualWays).some(([member, usual]) => !usual.includes(settings[member]))) notes.push('other_way');
  if (product === 'one-hub' && target?.needsAddress && isSet(row, ...hubPaths)) notes.push('other_way');
  const follows = Object.entries(settings).some(([member, value]) => member.startsWith(modelUpdates) && value === true);
  if (follows || hasSteps || isSet(settings, ...switches) || isSet(row, ...hubSwitches, ...laiskySwitches))
    notes.push('settings_left');
  const isSound = notes.every((note) => listedOnly.has(note));
  const used = Math.max(0, whole(row, 'used_quota'));
  return {
    key,
    input,
    status: isSound ? statusOf(whole(row, 'status')) : channelStatus.disabled,
    offKeys: keys.off,
    used,
    notes: [...new Set(notes)],
  };
}

/** What is only told. */
const listedOnly: ReadonlySet<string> = new Set(['own_prices', 'settings_left', 'bounded']);
const unset: ReadonlySet<string> = new Set(['', '0', 'false', '[]', '{}', 'null']);

function isSet(record: Readonly<Record<string, unknown>>, ...members: readonly string[]): boolean {
  return members.some((member) => {
    const value = record[member] ?? '';
    return !unset.has(typeof value === 'object' ? JSON.stringify(value) : String(value).trim());
  });
}

/** The same row without what our rules refused: nothing calls it until somebody looked at it. */
export function asCustom(mapped: MappedChannel): MappedChannel {
  const { input } = mapped;
  const safe: ChannelInput = {
    ...input,
    type: customType,
    base_url: nowhere,
    other: '',
    group:
      words(input.group ?? '')
        .filter((group) => /^[^\s,\p{C}]{1,64}$/u.test(group))
        .join(',') || 'default',
    models:
      words(input.models ?? '')
        .filter((model) => /^[^\s\p{C}]{1,255}$/u.test(model))
        .join(',') || 'none',
    model_mapping: '',
    status_code_mapping: '',
    param_override: '',
    header_override: '',
    setting: '',
    key: words(input.key ?? '')[0] ?? '',
  };
  return { ...mapped, input: safe, status: channelStatus.disabled, offKeys: [] };
}

function statusOf(status: number): number {
  if (status === channelStatus.enabled) return status;
  return status === channelStatus.autoDisabled ? status : channelStatus.disabled;
}

function jsonText(value: Readonly<Record<string, unknown>>): string {
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

/** As our types append paths to it; "" = the type's own. */
function addressOf(row: Row, target: TypeTarget | undefined, product: Product): string {
  const own = text(row, 'base_url').replace(/\/+$/, '');
  if (target === undefined) return own || nowhere;
  // Compatible endpoints are written with the version there, which our paths begin with.
  const isCompatible = (product === 'one-api' || product === 'laisky') && target.type === 1;
  return (isCompatible ? own.replace(/\/v1$/, '') : own) || (target.address ?? '');
}

function otherOf(row: Row, config: Readonly<Record<string, unknown>>, target: TypeTarget | undefined): string {
  if (target === undefined) return '';
  const member = config[otherMembers[target.type] ?? ''];
  return typeof member === 'string' && member !== '' ? member : text(row, 'other');
}

interface Keys {
  readonly text: string;
  readonly mode: 'random' | 'polling' | undefined;
  readonly off: { readonly key: string; readonly reason: string }[];
}

function keysOf(
  row: Row,
  config: Readonly<Record<string, unknown>>,
  target: TypeTarget | undefined,
  info: Readonly<Record<string, unknown>>,
): Keys {
  const stored = text(row, 'key');
  const credential = target && credentialIn(target.type, config);
  if (credential !== undefined) return { text: credential, mode: undefined, off: [] };
  const keys = splitKeys(stored);
  if (keys.length < 2) return { text: keys[0] ?? '', mode: undefined, off: [] };
  const states = recordIn(info.multi_key_status_list);
  const reasons = recordIn(info.multi_key_disabled_reason);
  const off = keys.flatMap((key, index) => {
    const state = states[String(index)];
    return state === undefined || Number(state) === keyOn ? [] : [{ key, reason: String(reasons[String(index)] ?? '') }];
  });
  return { text: keys.join('\n'), mode: info.multi_key_mode === 'polling' ? 'polling' : 'random', off };
}

/** One per line, or a JSON list of texts or of documents, or one JSON document. */
function splitKeys(stored: string): string[] {
  const trimmed = stored.trim();
  if (trimmed.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(trimmed);
      if (Array.isArray(list)) return list.map((entry) => (typeof entry === 'string' ? entry.trim() : JSON.stringify(entry)));
    } catch {
      // Then it is a text that begins with a bracket.
    }
  }
  if (trimmed.startsWith('{') && jsonObject(trimmed) !== undefined) return [trimmed];
  return trimmed.split('\n').flatMap((line) => line.trim() || []);
}

/** Members of the same meaning keep their names; what other products keep in columns joins them. */
function settingOf(
  row: Row,
  setting: Readonly<Record<string, unknown>>,
  { mode, prompt }: { mode: Keys['mode']; prompt: string },
): Readonly<Record<string, unknown>> {
  const proxy = text(row, 'proxy');
  return {
    ...setting,
    ...(prompt === '' ? {} : { system_prompt: prompt }),
    ...(proxy === '' ? {} : { proxy }),
    ...(mode === undefined ? {} : { multi_key: mode }),
  };
}
