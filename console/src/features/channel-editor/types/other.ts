import type { ChannelType } from '@tollgate/contract';
import {
  channel_account_id,
  channel_account_id_hint,
  channel_plugin,
  channel_plugin_hint,
  channel_region,
  channel_region_hint,
  channel_version,
  channel_version_hint,
} from '../../../i18n/generated/messages.ts';
import type { TypeDescriptor } from './descriptor.ts';
import { typeNames } from './names.ts';

const byKind = {
  version: { label: channel_version, hint: channel_version_hint, placeholder: '' },
  id: { label: channel_account_id, hint: channel_account_id_hint, placeholder: '' },
  plugin: { label: channel_plugin, hint: channel_plugin_hint, placeholder: '' },
  region: { label: channel_region, hint: channel_region_hint, placeholder: 'us-central1' },
};

/** The field `other` of a type, if it has one. */
export function otherOf({ type, other }: ChannelType): TypeDescriptor['other'] {
  if (!other) return undefined;
  const named = typeNames[type]?.other;
  const texts = named ? { label: named.label, hint: named.hint, placeholder: named.example() } : byKind[other.kind];
  return { ...texts, required: other.required === true, fallback: other.fallback ?? '', json: other.kind === 'region' };
}
