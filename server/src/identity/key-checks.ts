import { never, tokenStatus, userStatus } from '@tollgate/contract';
import type { KeyRecord } from './keyring.ts';

/** Why a key opens nothing now, in the order of contract 5.2. */
export type KeyRefusal = 'token_exhausted_status' | 'token_expired' | 'token_unavailable' | 'owner_banned';

/** Undefined = it opens what it may open; `nowSeconds` in unix seconds. */
export function keyRefusal({ status, expiredAt, user }: KeyRecord, nowSeconds: number): KeyRefusal | undefined {
  if (status === tokenStatus.exhausted) return 'token_exhausted_status';
  if (status === tokenStatus.expired) return 'token_expired';
  if (status !== tokenStatus.enabled) return 'token_unavailable';
  if (expiredAt !== never && expiredAt < nowSeconds) return 'token_expired';
  return user.status === userStatus.enabled ? undefined : 'owner_banned';
}

/** From where a key may be used (contract 5.3). */
export function isAllowedFrom({ allowIps, denyIps }: Pick<KeyRecord, 'allowIps' | 'denyIps'>, ip: string): boolean {
  return denyIps?.matches(ip) !== true && (allowIps === undefined || allowIps.matches(ip));
}
