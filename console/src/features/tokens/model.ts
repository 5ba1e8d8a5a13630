import { never, type Token, tokenStatus } from '@tollgate/contract';
import {
  token_status_disabled,
  token_status_enabled,
  token_status_exhausted,
  token_status_expired,
  token_status_limited,
  token_status_unknown,
  token_why_exhausted,
  token_why_expired,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** What the user sees and sends: the 48 characters with their prefix. */
export const fullKey = (token: Token): string => `sk-${token.key}`;
export const maskedKey = (token: Token): string => `sk-${token.key.slice(0, 4)}…${token.key.slice(-4)}`;

/** Word and colour of a token's state. */
export function statusOf(token: Pick<Token, 'status' | 'model_limits_enabled'>): { text: string; tone: Tone } {
  switch (token.status) {
    case tokenStatus.enabled:
      return { text: token.model_limits_enabled ? token_status_limited() : token_status_enabled(), tone: 'ok' };
    case tokenStatus.disabled:
      return { text: token_status_disabled(), tone: 'bad' };
    case tokenStatus.expired:
      return { text: token_status_expired(), tone: 'warn' };
    case tokenStatus.exhausted:
      return { text: token_status_exhausted(), tone: 'warn' };
    default:
      return { text: token_status_unknown(), tone: 'grey' };
  }
}

/** Why this token cannot be enabled now; empty when it can, or is. */
export function whyNotEnabled(token: Token, nowSeconds: number): string {
  if (token.status === tokenStatus.enabled) return '';
  if (token.expired_time !== never && token.expired_time < nowSeconds) return token_why_expired();
  if (token.remain_quota <= 0 && !token.unlimited_quota) return token_why_exhausted();
  return '';
}

/** A model that this token may call, to fill into examples; of its owner's where it is not limited. */
export const exampleModel = (token: Token, owned: readonly string[] = []): string =>
  (token.model_limits_enabled && token.model_limits.split(',')[0]?.trim()) ||
  (owned.find((model) => model.startsWith('gpt-')) ?? owned[0] ?? 'MODEL');

/** What "copy selected" copies: name and key, a line each. */
export const copyLines = (tokens: readonly Token[]): string =>
  tokens.map((token) => `${token.name}    ${fullKey(token)}`).join('\n');
