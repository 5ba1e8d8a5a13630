import type { ChannelType } from '@tollgate/contract';
import {
  channel_base_url,
  channel_base_url_hint,
  channel_base_url_own_hint,
  channel_full_url,
  channel_full_url_hint,
  channel_private_url,
  channel_private_url_hint,
  channel_server_url,
  channel_server_url_hint,
} from '../../../i18n/generated/messages.ts';
import type { FieldTexts, TypeDescriptor } from './descriptor.ts';
import { typeNames } from './names.ts';

/** Types whose address follows from their region, version or key: they are asked for one only where one is stored or typed. */
const withoutAddress = new Set([18, 33, 41, 45]);
/** An address that such a type has all the same: calls and key go there, so that it must be seen and can be emptied. */
export const ownAddress: FieldTexts & { required: boolean } = {
  label: channel_base_url,
  hint: channel_base_url_own_hint,
  placeholder: '',
  required: false,
};
/** Usually deployed by the operator, although there is a public one. */
const oftenPrivate = new Set([22]);

/** How the address is asked for, from what the contract says of the type. */
export function addressOf(facts: ChannelType): TypeDescriptor['address'] {
  if (withoutAddress.has(facts.type)) return undefined;
  const named = typeNames[facts.type]?.address;
  if (named) {
    return { label: named.label, hint: named.hint, placeholder: named.example(), required: facts.needsAddress === true };
  }
  if (facts.completeUrl) {
    return {
      label: channel_full_url,
      hint: channel_full_url_hint,
      placeholder: 'https://example.com/v1/chat/completions',
      required: true,
    };
  }
  if (facts.needsAddress) {
    return { label: channel_server_url, hint: channel_server_url_hint, placeholder: 'https://example.com', required: true };
  }
  if (oftenPrivate.has(facts.type)) {
    return { label: channel_private_url, hint: channel_private_url_hint, placeholder: facts.baseUrl, required: false };
  }
  return { label: channel_base_url, hint: channel_base_url_hint, placeholder: facts.baseUrl, required: false };
}
