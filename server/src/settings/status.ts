import { autoGroup, type Status } from '@tollgate/contract';
import type { Options } from './definitions.ts';
import { isRegistrationOpen } from './modes.ts';

export interface BuildInfo {
  version: string;
  /** Unix seconds. */
  startTime: number;
}

/** What everybody may know of the site (contract 3.6): named fields only, so that no secret can slip in. */
export function buildStatus(options: Options, build: BuildInfo): Status {
  return {
    version: build.version,
    start_time: build.startTime,
    setup: true,
    // Charges are booked in groups, but never later than the call's end.
    enable_batch_update: false,
    ...siteFields(options),
    ...loginFields(options),
    ...moneyFields(options),
  };
}

function siteFields(options: Options) {
  return {
    system_name: options.SystemName,
    logo: options.Logo,
    footer_html: options.Footer,
    server_address: options.ServerAddress,
    docs_link: options['general_setting.docs_link'],
    default_collapse_sidebar: options.DefaultCollapseSidebar,
    wxpusher_enabled: options.WxPusherEnabled && options.WxPusherAppToken !== '',
    demo_site_enabled: options.DemoSiteEnabled,
    self_use_mode_enabled: options.SelfUseModeEnabled,
    enable_drawing: options.DrawingEnabled,
    enable_task: options.TaskEnabled,
    enable_data_export: options.DataExportEnabled,
    data_export_default_time: options.DataExportDefaultTime,
    mj_notify_enabled: options.MjNotifyEnabled,
    chats: [...options.Chats],
    chat_link: options.ChatLink,
    chat_link2: options.ChatLink2,
  };
}

function loginFields(options: Options) {
  return {
    password_login: options.PasswordLoginEnabled,
    register_enabled: isRegistrationOpen(options),
    password_register: options.PasswordRegisterEnabled,
    email_verification: options.EmailVerificationEnabled,
    turnstile_check: options.TurnstileCheckEnabled,
    turnstile_site_key: options.TurnstileSiteKey,
    github_oauth: options.GitHubOAuthEnabled,
    github_client_id: options.GitHubClientId,
    linuxdo_oauth: options.LinuxDOOAuthEnabled,
    linuxdo_client_id: options.LinuxDOClientId,
    wechat_login: options.WeChatAuthEnabled,
    wechat_qrcode: options.WeChatAccountQRCodeImageURL,
    telegram_oauth: options.TelegramOAuthEnabled,
    telegram_bot_name: options.TelegramBotName,
    oidc_enabled: options['oidc.enabled'],
    oidc_client_id: options['oidc.client_id'],
    oidc_authorization_endpoint: options['oidc.authorization_endpoint'],
  };
}

function moneyFields(options: Options) {
  return {
    quota_per_unit: options.QuotaPerUnit,
    display_in_currency: options.DisplayInCurrencyEnabled,
    quota_remind_threshold: options.QuotaRemindThreshold,
    price: options.Price,
    min_topup: options.MinTopUp,
    top_up_link: options.TopUpLink,
    enable_online_topup: options.PayAddress !== '' && options.EpayId !== '' && options.EpayKey !== '',
    pay_methods: [...options.PayMethods],
    enable_stripe_topup: options.StripeApiSecret.trim() !== '' && options.StripeWebhookSecret.trim() !== '',
    stripe_min_topup: options.StripeMinTopUp,
    stripe_currency: options.StripeCurrency,
    // Where it is not offered, nobody could make a token with it.
    default_use_auto_group: options.DefaultUseAutoGroup && options.UserUsableGroups.has(autoGroup),
    agent_enabled: options.AgentEnabled,
    agent_apply_enabled: options.AgentEnabled && options.AgentApplyEnabled,
  };
}
