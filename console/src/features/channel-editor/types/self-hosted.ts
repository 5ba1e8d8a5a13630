import {
  channel_full_url,
  channel_full_url_hint,
  channel_private_url,
  channel_private_url_hint,
  channel_server_url,
  channel_server_url_hint,
} from '../../../i18n/generated/messages.ts';
import { compatible } from './compatible.ts';
import type { TypeDescriptor } from './descriptor.ts';

/** A complete URL: nothing is appended, `{model}` is filled in. */
export const fullUrl: TypeDescriptor = {
  ...compatible,
  baseUrl: {
    label: channel_full_url,
    hint: channel_full_url_hint,
    placeholder: 'https://example.com/v1/chat/completions',
    required: true,
  },
  settingInMain: true,
};

/** A server of one's own that has no default address. */
export const ownServer: TypeDescriptor = {
  ...compatible,
  baseUrl: { label: channel_server_url, hint: channel_server_url_hint, placeholder: 'http://10.0.0.8:9997', required: true },
};

/** A knowledge base in a private deployment; the key names the application too. */
export const privateDeployment: TypeDescriptor = {
  ...compatible,
  baseUrl: {
    label: channel_private_url,
    hint: channel_private_url_hint,
    placeholder: 'https://example.com/api/openapi',
    required: false,
  },
  key: { placeholder: 'APIKey-AppId' },
};
