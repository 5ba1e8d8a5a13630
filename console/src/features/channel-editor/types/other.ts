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

const names = {
  version: { label: channel_version, hint: channel_version_hint },
  id: { label: channel_account_id, hint: channel_account_id_hint },
  plugin: { label: channel_plugin, hint: channel_plugin_hint },
  region: { label: channel_region, hint: channel_region_hint },
};

/** The field `other` of a type, if it has one. */
export function otherOf(facts: ChannelType): TypeDescriptor['other'] {
  return facts.other && { ...names[facts.other.kind], required: facts.other.required === true };
}
