import type { ErrorCode } from '@tollgate/contract';
import { leavesOut, wordBounds } from '../platform/word-finder.ts';
import type { OptionKey, Options } from './definitions.ts';
import { OptionRefused } from './kinds.ts';

interface Requirement {
  readonly switchKey: OptionKey;
  readonly isMet: (options: Options) => boolean;
  readonly code: ErrorCode;
  /** What may not be cleared while it is on, since nobody could sign in any more to mend it. */
  readonly kept?: { readonly keys: readonly OptionKey[]; readonly code: ErrorCode };
}

/** What must be filled in before a feature is switched on (contract 3.5). */
const requirements: readonly Requirement[] = [
  {
    switchKey: 'GitHubOAuthEnabled',
    isMet: (options) => options.GitHubClientId !== '',
    code: 'option_github_missing',
  },
  {
    switchKey: 'LinuxDOOAuthEnabled',
    isMet: (options) => options.LinuxDOClientId !== '',
    code: 'option_linuxdo_missing',
  },
  {
    switchKey: 'oidc.enabled',
    isMet: (options) => options['oidc.client_id'] !== '',
    code: 'option_oidc_missing',
  },
  {
    switchKey: 'EmailDomainRestrictionEnabled',
    isMet: (options) => options.EmailDomainWhitelist.length > 0,
    code: 'option_domains_missing',
  },
  {
    switchKey: 'WeChatAuthEnabled',
    isMet: (options) => options.WeChatServerAddress !== '',
    code: 'option_wechat_missing',
  },
  {
    switchKey: 'TurnstileCheckEnabled',
    isMet: (options) => options.TurnstileSiteKey !== '' && options.TurnstileSecretKey !== '',
    code: 'option_turnstile_missing',
    kept: { keys: ['TurnstileSiteKey', 'TurnstileSecretKey'], code: 'option_turnstile_kept' },
  },
  {
    switchKey: 'TelegramOAuthEnabled',
    isMet: (options) => options.TelegramBotToken !== '',
    code: 'option_telegram_missing',
  },
];

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Why a page may not be given keys: others on the way would read or change it, or its server would be told the key. */
function chatFault(link: string): ErrorCode | undefined {
  if (!/^https?:/i.test(link)) return undefined;
  const [page = ''] = link.split('#', 1);
  if (page.includes('{key}')) return 'option_chat_query';
  const url = URL.parse(page);
  return url?.protocol === 'https:' || loopback.test(url?.hostname ?? '') ? undefined : 'option_chat_plain';
}

/** The links of chat clients, each with its name. What was stored otherwise is read all the same, and shown in no frame. */
const chatLinks: Partial<Record<OptionKey, (options: Options) => (readonly [name: string, link: string])[]>> = {
  Chats: ({ Chats }) => Chats.flatMap((chat) => Object.entries(chat)),
  ChatLink: ({ ChatLink }) => [['ChatLink', ChatLink]],
  ChatLink2: ({ ChatLink2 }) => [['ChatLink2', ChatLink2]],
};

/**
 * Throws OptionRefused when what is saved now lacks what it needs, gives keys to a page that must not have them, or would count
 * in part only. What was stored before any of these rules counts as it is.
 */
export function checkRequirements(changed: ReadonlySet<OptionKey>, options: Options): void {
  if (changed.has('SensitiveWords') && leavesOut(options.SensitiveWords))
    throw new OptionRefused('option_words', { words: String(wordBounds.words), bytes: String(wordBounds.bytes) });
  for (const [name, link] of [...changed].flatMap((key) => chatLinks[key]?.(options) ?? [])) {
    const fault = chatFault(link);
    if (fault !== undefined) throw new OptionRefused(fault, { name });
  }
  for (const { switchKey, isMet, code, kept } of requirements) {
    if (options[switchKey] !== true || isMet(options)) continue;
    if (changed.has(switchKey)) throw new OptionRefused(code);
    if (kept?.keys.some((key) => changed.has(key) && options[key] === '')) throw new OptionRefused(kept.code);
  }
}
