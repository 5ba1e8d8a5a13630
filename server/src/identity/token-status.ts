import { type ErrorCode, never } from '@tollgate/contract';
import type { TokenRow } from './token-view.ts';

type Switched = Pick<TokenRow, 'expired_at' | 'unlimited_quota' | 'remain_quota'>;

/**
 * Why this token may not be switched on (contract 1.8); undefined when it may be. By the causes themselves:
 * one that was switched off by hand before its time ended has no status that tells of it.
 */
export function enableFault(token: Switched, now: number): ErrorCode | undefined {
  const { expired_at, unlimited_quota, remain_quota } = token;
  if (expired_at !== never && expired_at < now) return 'token_expired_enable';
  if (unlimited_quota === 0 && remain_quota <= 0) return 'token_exhausted_enable';
  return undefined;
}

/** First and last three characters of a key: how error texts name it. */
export function maskKey(key: string): string {
  return `sk-${key.slice(0, 3)}***${key.slice(-3)}`;
}
