import type { Channel } from '@tollgate/contract';
import * as z from 'zod/mini';
import {
  channel_base_url_missing,
  channel_group_missing,
  channel_json_not_object,
  channel_key_form,
  channel_key_missing,
  channel_key_needed,
  channel_model_invalid,
  channel_models_missing,
  channel_name_missing,
  channel_region_default_missing,
  channel_region_missing,
  channel_url_invalid,
  priority_invalid,
  weight_invalid,
} from '../../i18n/generated/messages.ts';
import { isRecord } from '../../lib/json.ts';
import { jsonFaultText } from '../../ui/form/JsonField.tsx';
import { type ChannelDraft, keysOf } from './draft.ts';
import { firstSettingFault, readSetting } from './settings.ts';
import { defaultAddress, describeType } from './types/index.ts';

type Fault = [keyof ChannelDraft, string];
const modelName = /^[^\s\p{C}]{1,255}$/u;

/** A JSON field must be empty or an object. */
function objectFault(text: string): string | undefined {
  const fault = jsonFaultText(text);
  if (fault || text.trim() === '') return fault;
  return isRecord(JSON.parse(text)) ? undefined : channel_json_not_object();
}

function urlFault(draft: ChannelDraft): string | undefined {
  const text = draft.baseUrl.trim();
  if (text === '') return describeType(draft.type).address?.required ? channel_base_url_missing() : undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.username === '' ? undefined : channel_url_invalid();
}

const integer = (text: string, least: number): boolean =>
  /^-?\d{1,7}$/.test(text.trim()) && Number(text) >= least && Number(text) <= 1_000_000;

function originOf(type: number, baseUrl: string): string {
  const address = baseUrl.trim() || defaultAddress(type);
  return URL.canParse(address) ? new URL(address).origin : '';
}

/** Who can read a key on its way: without TLS the proxy, too. */
function destinationOf(type: number, baseUrl: string, setting: string): string {
  const origin = originOf(type, baseUrl);
  return origin.startsWith('http:') ? `${origin} ${String(readSetting(setting)?.proxy ?? '').trim()}` : origin;
}

/** A key must have the parts, or be the JSON object, that its type needs. */
function keyFormFault(keys: readonly string[], type: number): string | false {
  const { whole, minParts, placeholder } = describeType(type).key;
  const fits = (key: string) => (whole ? objectFault(key) === undefined : key.split('|').length >= minParts);
  return !keys.every(fits) && channel_key_form({ form: placeholder });
}

/** A region is a name, or a JSON map from model to region that has a default. */
function otherFault(draft: ChannelDraft): string | false | undefined {
  const field = describeType(draft.type).other;
  const text = draft.other.trim();
  if (!field || text === '') return field?.required && channel_region_missing();
  if (!text.startsWith('{')) return false;
  const fault = objectFault(text);
  return fault ?? (!('default' in JSON.parse(text)) && channel_region_default_missing());
}

/** A stored key belongs to the destination it was entered for: another one needs its key typed again. */
function keyFault(draft: ChannelDraft, channel: Channel | undefined): string | false {
  const keys = keysOf(draft);
  if (keys.length > 0) return keyFormFault(keys, draft.type);
  if (!channel) return channel_key_missing();
  const present = destinationOf(channel.type, channel.base_url ?? '', channel.setting ?? '');
  const moved = destinationOf(draft.type, draft.baseUrl, draft.setting) !== present;
  return moved && channel.key_hint !== '' && channel_key_needed();
}

function faultsOf(draft: ChannelDraft, channel: Channel | undefined): Fault[] {
  const wrongModel = draft.models.find((name) => !modelName.test(name));
  const checks: [keyof ChannelDraft, string | false | undefined][] = [
    ['name', draft.name.trim() === '' && channel_name_missing()],
    ['groups', draft.groups.length === 0 && channel_group_missing()],
    ['models', draft.models.length === 0 && channel_models_missing()],
    ['models', wrongModel !== undefined && channel_model_invalid({ model: wrongModel })],
    ['keys', keyFault(draft, channel)],
    ['baseUrl', urlFault(draft)],
    ['other', otherFault(draft)],
    ['modelMapping', objectFault(draft.modelMapping)],
    ['statusCodeMapping', objectFault(draft.statusCodeMapping)],
    ['setting', objectFault(draft.setting) ?? firstSettingFault(draft.setting)],
    ['paramOverride', objectFault(draft.paramOverride)],
    ['headerOverride', objectFault(draft.headerOverride)],
    ['priority', !integer(draft.priority, -999) && priority_invalid()],
    ['weight', !integer(draft.weight, 0) && weight_invalid()],
  ];
  return checks.flatMap(([field, message]): Fault[] => (message ? [[field, message]] : []));
}

const draftShape = z.object({
  type: z.number(),
  name: z.string(),
  groups: z.array(z.string()),
  models: z.array(z.string()),
  keys: z.string(),
  appendKeys: z.boolean(),
  baseUrl: z.string(),
  organization: z.string(),
  other: z.string(),
  modelMapping: z.string(),
  statusCodeMapping: z.string(),
  testModel: z.string(),
  autoBan: z.boolean(),
  tag: z.string(),
  priority: z.string(),
  weight: z.string(),
  setting: z.string(),
  paramOverride: z.string(),
  headerOverride: z.string(),
});

/** The form's rules, for a new channel or for changing the given one. */
export const channelSchema = (channel: Channel | undefined) =>
  draftShape.check((context) => {
    for (const [field, message] of faultsOf(context.value, channel)) {
      context.issues.push({ code: 'custom', path: [field], message, input: context.value[field] });
    }
  });
