import { channel_base_url, channel_base_url_hint } from '../../../i18n/generated/messages.ts';
import type { TypeDescriptor } from './descriptor.ts';

/** Every provider that speaks the common chat protocol at its own address. */
export const compatible: TypeDescriptor = {
  baseUrl: { label: channel_base_url, hint: channel_base_url_hint, required: false },
  key: { placeholder: 'sk-...' },
  organization: false,
  settingInMain: false,
};

/** The protocol's own provider, which also knows organizations. */
export const withOrganization: TypeDescriptor = { ...compatible, organization: true };
