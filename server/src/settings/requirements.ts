import type { OptionKey, Options } from './definitions.ts';
import { OptionRefused } from './kinds.ts';

interface Requirement {
  readonly switchKey: OptionKey;
  readonly isMet: (options: Options) => boolean;
  readonly text: string;
}

/** What must be filled in before a feature is switched on (contract 3.5). */
const requirements: readonly Requirement[] = [
  {
    switchKey: 'GitHubOAuthEnabled',
    isMet: (options) => options.GitHubClientId !== '',
    text: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
  },
  {
    switchKey: 'LinuxDOOAuthEnabled',
    isMet: (options) => options.LinuxDOClientId !== '',
    text: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
  },
  {
    switchKey: 'oidc.enabled',
    isMet: (options) => options['oidc.client_id'] !== '',
    text: '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
  },
  {
    switchKey: 'EmailDomainRestrictionEnabled',
    isMet: (options) => options.EmailDomainWhitelist.length > 0,
    text: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
  },
  {
    switchKey: 'WeChatAuthEnabled',
    isMet: (options) => options.WeChatServerAddress !== '',
    text: '无法启用微信登录，请先填入微信登录相关配置信息！',
  },
  {
    switchKey: 'TurnstileCheckEnabled',
    isMet: (options) => options.TurnstileSiteKey !== '' && options.TurnstileSecretKey !== '',
    text: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
  },
  {
    switchKey: 'TelegramOAuthEnabled',
    isMet: (options) => options.TelegramBotToken !== '',
    text: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
  },
];

/** Throws OptionRefused when a switch that this change turns on lacks its configuration. */
export function checkRequirements(changed: ReadonlySet<OptionKey>, options: Options): void {
  for (const { switchKey, isMet, text } of requirements) {
    if (changed.has(switchKey) && options[switchKey] === true && !isMet(options)) throw new OptionRefused(text);
  }
}
