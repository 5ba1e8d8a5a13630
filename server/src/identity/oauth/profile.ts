import { PublicError } from '../../platform/errors.ts';
import type { SystemAnswer } from '../../platform/http/system-client.ts';
import type { Door } from '../admit-user.ts';

/** Columns of `users` that name an account elsewhere. */
export type ExternalColumn = 'github_id' | 'linux_do_id' | 'oidc_id' | 'wechat_id' | 'telegram_id';

/** Who somebody is elsewhere. */
export interface Profile {
  /** Never changes and is never given to somebody else. */
  id: string;
  /** What rows imported from other products have in place of `id`; matched once. */
  legacyId?: string;
  displayName: string;
  /** Only where the provider says that it is verified. */
  email?: string;
}

export interface Provider {
  door: Door;
  column: ExternalColumn;
  /** As the texts name it. */
  label: string;
  /** New users are named `{prefix}_{number}`. */
  prefix: string;
  fallbackName: string;
}

export const providers = {
  github: { door: 'github', column: 'github_id', label: 'GitHub', prefix: 'github', fallbackName: 'GitHub User' },
  linuxdo: { door: 'linuxdo', column: 'linux_do_id', label: 'Linux DO', prefix: 'linuxdo', fallbackName: 'Linux DO User' },
  oidc: { door: 'oidc', column: 'oidc_id', label: 'OIDC', prefix: 'oidc', fallbackName: 'OIDC User' },
  wechat: { door: 'wechat', column: 'wechat_id', label: '微信', prefix: 'wechat', fallbackName: 'WeChat User' },
  telegram: { door: 'telegram', column: 'telegram_id', label: 'Telegram', prefix: 'telegram', fallbackName: 'Telegram User' },
} as const satisfies Record<string, Provider>;

/** A provider's id is stored as text; longer ones are nobody's. */
export const maxExternalIdLength = 255;

/** The provider's answer. Rejects with PublicError `provider_unreachable` or `wechat_unreachable` where there is none. */
export function reached(answer: Promise<SystemAnswer>, { door, label }: Provider): Promise<SystemAnswer> {
  return answer.catch(() => {
    // Its name is another one in each language.
    if (door === 'wechat') throw new PublicError('wechat_unreachable');
    throw new PublicError('provider_unreachable', { provider: label });
  });
}

/** The text of a field that may be anything; "" for what is no text. */
export function textField(record: Readonly<Record<string, unknown>> | undefined, name: string): string {
  const value = record?.[name];
  return typeof value === 'string' ? value : '';
}

/** A numeric id as text; "" for anything else. */
export function numericId(record: Readonly<Record<string, unknown>> | undefined): string {
  const value = record?.id;
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? String(value) : '';
}
