import type { ChannelFacts } from './call.ts';
import type { Provider } from './provider.ts';

/** The headers that say whose requests these are: the key, unless it signs them, and the organization. */
export function credentialHeaders(
  provider: Pick<Provider, 'keyHeader' | 'organizationHeader' | 'sign'> | undefined,
  { key, organization }: Pick<ChannelFacts, 'key' | 'organization'>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const { keyHeader, organizationHeader, sign } = provider ?? {};
  if (sign === undefined) {
    if (keyHeader === undefined) headers.authorization = `Bearer ${key}`;
    else headers[keyHeader] = key;
  }
  if (organizationHeader !== undefined && organization !== '') headers[organizationHeader] = organization;
  return headers;
}
