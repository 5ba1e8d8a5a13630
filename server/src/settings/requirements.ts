import type { ErrorCode } from '@tollgate/contract';
import type { OptionKey, Options } from './definitions.ts';
import { OptionRefused } from './kinds.ts';

interface Requirement {
  readonly switchKey: OptionKey;
  readonly isMet: (options: Options) => boolean;
  readonly code: ErrorCode;
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
  },
  {
    switchKey: 'TelegramOAuthEnabled',
    isMet: (options) => options.TelegramBotToken !== '',
    code: 'option_telegram_missing',
  },
];

/** Throws OptionRefused when a switch that this change turns on lacks its configuration. */
export function checkRequirements(changed: ReadonlySet<OptionKey>, options: Options): void {
  for (const { switchKey, isMet, code } of requirements) {
    if (changed.has(switchKey) && options[switchKey] === true && !isMet(options)) throw new OptionRefused(code);
  }
}
