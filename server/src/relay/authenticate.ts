import type { IncomingHttpHeaders } from 'node:http';
import { never, role, tokenStatus, userStatus } from '@tollgate/contract';
import { type KeyRecord, type Keyring, maskKey, splitKey } from '../identity/index.ts';
import { localFault, type RelayFault } from './faults.ts';

export interface Authenticated {
  readonly key: KeyRecord;
  /** Channel an administrator chose with `sk-KEY-CHANNELID`; NaN when it is no number. */
  readonly pinnedChannel: number | undefined;
}

/** Who calls: reads the key and checks token and owner in the order of contract 5.2. Throws RelayFault. */
export async function authenticate(keyring: Keyring, headers: IncomingHttpHeaders, nowSeconds: number): Promise<Authenticated> {
  const { key: secret, channel: pin } = splitKey((headers.authorization ?? '').replace(/^Bearer\s+/i, '').trim());
  if (secret === '') throw refusal('token_missing');
  const found = keyring.lookup(secret);
  const key = found instanceof Promise ? await found : found;
  if (key === undefined) throw refusal('token_unknown');
  checkToken(keyring, key, secret, nowSeconds);
  if (key.user.status !== userStatus.enabled) throw refusal('owner_banned');
  if (pin !== undefined && key.user.role < role.admin) throw refusal('channel_pin_refused');
  return { key, pinnedChannel: pin === undefined ? undefined : /^\d{1,15}$/.test(pin) ? Number(pin) : Number.NaN };
}

function checkToken(keyring: Keyring, key: KeyRecord, secret: string, nowSeconds: number): void {
  if (key.status === tokenStatus.exhausted) throw refusal('token_exhausted_status', { key: maskKey(secret) });
  if (key.status === tokenStatus.expired) throw refusal('token_expired');
  if (key.status !== tokenStatus.enabled) throw refusal('token_unavailable');
  if (key.expiredAt !== never && key.expiredAt < nowSeconds) {
    // The refusal stands whether or not the row could be updated.
    keyring.markExpired(key.tokenId).catch(() => undefined);
    throw refusal('token_expired');
  }
}

function refusal(code: Parameters<typeof localFault>[0], values: Record<string, string> = {}): RelayFault {
  return localFault(code, values, { codeless: true });
}
