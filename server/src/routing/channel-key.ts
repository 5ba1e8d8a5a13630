import { channelTypes } from '@tollgate/contract';
import { type Crypto, openedOrNone } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import { type MultiKeyMode, proxyIn } from './channel-setting.ts';
import { splitKeys } from './multi-key.ts';

/** What a credential is bound to: the row and the place it is sent to (R-46). */
export interface KeyPlace {
  id: number;
  type: number;
  base_url: string;
}

interface SealedKey extends KeyPlace {
  key_sealed: string;
}

const shortestHintedKey = 12;
/** The reason of a credential that a person switched off alone; what goes by itself always has another. */
export const byHand = '';

/** The stored upstream credential in plain, "" when the channel has none. Throws SealError. */
export function openChannelKey(crypto: Crypto, row: SealedKey): string {
  return row.key_sealed === '' ? '' : crypto.open(row.key_sealed, binding(row));
}

/** The same for whoever cannot do without: one that cannot be opened is as good as none. Throws PublicError `channel_key_missing`. */
export function neededKey(crypto: Crypto, row: SealedKey): string {
  const key = openedOrNone(crypto, row.key_sealed, binding(row));
  if (key === '') throw new PublicError('channel_key_missing');
  return key;
}

/** The three stored forms of a credential: sealed for its place, for equality search, for recognition. With a mode every line of `key` is one. */
export function keyColumns(crypto: Crypto, place: KeyPlace, key: string, mode?: MultiKeyMode) {
  if (key === '') return { key_sealed: '', key_hmac: '', key_hint: '' };
  const keys = splitKeys(key, mode);
  return {
    key_sealed: crypto.seal(key, binding(place)),
    key_hmac: keys.map((one) => crypto.hmac('channel-key', one)).join(','),
    key_hint: `${keyHint(keys[0] ?? '')}${keys.length > 1 ? ` +${keys.length - 1}` : ''}`,
  };
}

/** What may be shown of each credential of a channel, in their order; nothing of those that cannot be opened. */
export function keyHints(crypto: Crypto, row: SealedKey & { key_hmac: string }): string[] {
  const hmacs = row.key_hmac === '' ? [] : row.key_hmac.split(',');
  const keys = splitKeys(openedOrNone(crypto, row.key_sealed, binding(row)), hmacs.length > 1 ? 'polling' : undefined);
  return hmacs.map((_, index) => keyHint(keys[index] ?? ''));
}

/** What may be shown of a credential. */
function keyHint(key: string): string {
  return key.length < shortestHintedKey ? '…' : `…${key.slice(-4)}`;
}

/** Where the credential goes: the channel's own address, else the default one of its type. */
export function originOf({ type, base_url }: Pick<KeyPlace, 'type' | 'base_url'>): string {
  const address = base_url === '' ? (defaultAddresses.get(type) ?? '') : base_url;
  const known = origins.get(address);
  if (known !== undefined) return known;
  const origin = URL.parse(address)?.origin ?? '';
  if (origins.size >= maxOrigins) origins.clear();
  origins.set(address, origin);
  return origin;
}

/** Who can read the credential on its way: without TLS not only the origin, but also the proxy in front of it (record 0074). */
export function destinationOf(place: Pick<KeyPlace, 'type' | 'base_url'> & { setting: string }): string {
  const origin = originOf(place);
  const proxy = origin.startsWith('http:') ? proxyIn(place.setting) : undefined;
  return proxy === undefined ? origin : `${origin} through ${proxy}`;
}

const defaultAddresses = new Map(channelTypes.map((known) => [known.type, known.baseUrl]));
/** Thousands of channels share few addresses. */
const origins = new Map<string, string>();
const maxOrigins = 10_000;

function binding(place: KeyPlace): string {
  return `channel/key/${place.id}/${originOf(place)}`;
}

/** Where the credentials lie sealed. */
export const sealedChannels: SealedColumn = {
  table: 'channel',
  key: 'id',
  column: 'key_sealed',
  reads: ['type', 'base_url'],
  binding: (row) => binding({ id: Number(row.id), type: Number(row.type), base_url: String(row.base_url) }),
};
