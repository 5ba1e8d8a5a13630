import { type ErrorCode, never, tokenStatus } from '@tollgate/contract';

/** What decides whether a token may be switched on (contract 1.8). */
export interface TokenState {
  status: number;
  expiredAt: number;
  unlimited: boolean;
  remainQuota: number;
}

/** Why the owner may not enable this token; undefined when it may be. */
export function enableFault(token: TokenState, now: number): ErrorCode | undefined {
  if (token.status === tokenStatus.expired && token.expiredAt !== never && token.expiredAt <= now) return 'token_expired_enable';
  if (token.status === tokenStatus.exhausted && !token.unlimited && token.remainQuota <= 0) return 'token_exhausted_enable';
  return undefined;
}

/** First and last three characters of a key: how error texts name it. */
export function maskKey(key: string): string {
  return `sk-${key.slice(0, 3)}***${key.slice(-3)}`;
}
