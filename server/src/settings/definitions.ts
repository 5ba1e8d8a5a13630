import * as kind from './kinds.ts';
import { priceTiers } from './price-tiers.ts';

/** One payment button of the wallet page. */
export interface PayMethod {
  name: string;
  type: string;
  color?: string;
}

const emailDomains = 'gmail.com 163.com 126.com qq.com outlook.com hotmail.com icloud.com yahoo.com foxmail.com'.split(' ');
const disableKeywords = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
].join('\n');

const chats: readonly Record<string, string>[] = [
  { 'ChatGPT Next Web 官方示例': 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  {
    'Lobe Chat 官方示例':
      'https://chat-preview.lobehub.com/#/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
  },
  {
    'AI as Workspace':
      'https://aiaw.app/#/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1"}}',
  },
  { 'AMA 问天': 'ama://set-api-key?server={address}&key={key}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];
const payMethods: readonly PayMethod[] = [
  { name: '支付宝', color: 'rgba(var(--semi-blue-5), 1)', type: 'alipay' },
  { name: '微信', color: 'rgba(var(--semi-green-5), 1)', type: 'wxpay' },
];

/**
 * Every option of the product (contract 3.2, rulings 8 and 32): a key that is not here does not exist.
 * Price maps hold the operator's entries only; the catalogue stands behind them (rulings 2).
 */
export const definitions = {
  // Sign-in and registration
  PasswordLoginEnabled: kind.bool(true),
  PasswordRegisterEnabled: kind.bool(true),
  RegisterEnabled: kind.bool(true),
  EmailVerificationEnabled: kind.bool(false),
  GitHubOAuthEnabled: kind.bool(false),
  GitHubClientId: kind.text(),
  GitHubClientSecret: kind.secret(),
  LinuxDOOAuthEnabled: kind.bool(false),
  LinuxDOClientId: kind.text(),
  LinuxDOClientSecret: kind.secret(),
  TelegramOAuthEnabled: kind.bool(false),
  TelegramBotToken: kind.secret(),
  TelegramBotName: kind.text(),
  WeChatAuthEnabled: kind.bool(false),
  WeChatServerAddress: kind.url(),
  WeChatServerToken: kind.secret('WeChatServerAddress'),
  WeChatAccountQRCodeImageURL: kind.text(),
  'oidc.enabled': kind.bool(false),
  'oidc.client_id': kind.text(),
  'oidc.client_secret': kind.secret('oidc.token_endpoint', 'oidc.well_known'),
  'oidc.well_known': kind.url(),
  'oidc.authorization_endpoint': kind.url(),
  'oidc.token_endpoint': kind.url(),
  'oidc.user_info_endpoint': kind.url(),
  TurnstileCheckEnabled: kind.bool(false),
  TurnstileSiteKey: kind.text(),
  TurnstileSecretKey: kind.secret(),
  EmailDomainRestrictionEnabled: kind.bool(false),
  EmailAliasRestrictionEnabled: kind.bool(false),
  EmailDomainWhitelist: kind.words(emailDomains),
  // Mail, worker, payment
  SMTPServer: kind.text(),
  SMTPPort: kind.number(587, { min: 1, max: 65_535 }),
  SMTPAccount: kind.text(),
  SMTPFrom: kind.text(),
  SMTPToken: kind.secret('SMTPServer'),
  SMTPSSLEnabled: kind.bool(false),
  WorkerUrl: kind.url(),
  WorkerValidKey: kind.secret('WorkerUrl'),
  PayAddress: kind.url(),
  EpayId: kind.text(),
  EpayKey: kind.secret('PayAddress'),
  CustomCallbackAddress: kind.url(),
  Price: kind.number(7.3, { whole: false, max: 1_000_000 }),
  MinTopUp: kind.number(1, { min: 1 }),
  TopupGroupRatio: kind.ratios({ default: 1, vip: 1, svip: 1 }),
  PayMethods: kind.json(payMethods, readPayMethods, (methods) => methods),
  TopUpLink: kind.text(),
  StripeApiSecret: kind.secret(),
  StripeWebhookSecret: kind.secret(),
  /** A price of the payment service for one dollar of quota; "" = the amount is computed from StripeUnitPrice. */
  StripePriceId: kind.text(),
  StripeUnitPrice: kind.number(1, { whole: false, max: 1_000_000 }),
  StripeCurrency: kind.choice('usd', ['eur', 'gbp', 'cny', 'hkd', 'sgd', 'aud', 'cad']),
  StripeMinTopUp: kind.number(1, { min: 1 }),
  // Site
  SystemName: kind.text('Tollgate'),
  Logo: kind.text(),
  Notice: kind.text(),
  About: kind.text(),
  HomePageContent: kind.text(),
  Footer: kind.text(),
  ServerAddress: kind.url(),
  Chats: kind.json(chats, readChats, (list) => list),
  ChatLink: kind.text(),
  ChatLink2: kind.text(),
  'general_setting.docs_link': kind.text(),
  'general_setting.ping_interval_enabled': kind.bool(false),
  'general_setting.ping_interval_seconds': kind.number(60, { min: 1, max: 3600 }),
  DemoSiteEnabled: kind.bool(false),
  SelfUseModeEnabled: kind.bool(false),
  DisplayInCurrencyEnabled: kind.bool(true),
  DisplayTokenStatEnabled: kind.bool(true),
  DefaultCollapseSidebar: kind.bool(false),
  // Quota and prices
  QuotaForNewUser: kind.number(0),
  QuotaForInviter: kind.number(0),
  QuotaForInvitee: kind.number(0),
  QuotaRemindThreshold: kind.number(1000),
  InviteHold: kind.choice('none', ['first_payment', 'days']),
  InviteSameIpRewarded: kind.bool(true),
  InviteDailyCap: kind.number(0),
  /** Days that rewards wait where they wait for days. */
  InviteHoldDays: kind.number(7, { max: 365 }),
  /** Percent of the quota that an invited user pays for; 0 = none. */
  InviteRebatePercent: kind.number(0, { whole: false, max: 100 }),
  InviteRebateHoldDays: kind.number(7, { max: 365 }),
  /** Most quota that rebates bring an inviter within a day; 0 = no limit. */
  InviteRebateDailyCap: kind.number(0),
  /** The smallest hold, in tokens. */
  PreConsumedQuota: kind.number(500),
  MaxHoldCompletionTokens: kind.number(4096, { min: 1, max: 10_000_000 }),
  QuotaPerUnit: kind.number(500_000, { min: 1, max: 1_000_000_000_000 }),
  GroupRatio: kind.groupRatios({ default: 1, vip: 1, svip: 1 }),
  UserUsableGroups: kind.labels({ default: '默认分组', vip: 'vip分组' }),
  GroupGroupRatio: kind.nestedRatios(),
  AutoGroups: kind.names(['default']),
  DefaultUseAutoGroup: kind.bool(false),
  ModelRatio: kind.ratios({}),
  ModelPrice: kind.ratios({}),
  CompletionRatio: kind.ratios({ 'gpt-4-gizmo-*': 2, 'gpt-4o-gizmo-*': 3, 'gpt-4-all': 2 }),
  CacheRatio: kind.ratios({}),
  CreateCacheRatio: kind.ratios({}),
  CreateCacheRatio1h: kind.ratios({}),
  AudioRatio: kind.ratios({}),
  AudioCompletionRatio: kind.ratios({}),
  ImageRatio: kind.ratios({}),
  PriceTiers: priceTiers(),
  GroupLimits: kind.object({}),
  // Relay and channels
  RetryTimes: kind.number(2, { max: 100 }),
  /** The same conversation goes to the same channel and key as long as that one is well. */
  ChannelAffinityEnabled: kind.bool(true),
  ChannelDisableThreshold: kind.number(5, { whole: false, max: 86_400 }),
  /** Minutes between runs over all channels; 0 = never (rulings 27). */
  ChannelTestFrequency: kind.number(0, { max: 525_600 }),
  ChannelUpdateFrequency: kind.number(0, { max: 525_600 }),
  ChannelRunPauseSeconds: kind.number(0, { whole: false, max: 3600 }),
  AutomaticDisableChannelEnabled: kind.bool(false),
  AutomaticEnableChannelEnabled: kind.bool(false),
  AutomaticDisableKeywords: kind.text(disableKeywords),
  ModelRequestRateLimitEnabled: kind.bool(false),
  ModelRequestRateLimitDurationMinutes: kind.number(1, { min: 1, max: 10_080 }),
  ModelRequestRateLimitCount: kind.number(0),
  ModelRequestRateLimitSuccessCount: kind.number(1000),
  'global.pass_through_request_enabled': kind.bool(false),
  'claude.model_headers_settings': kind.object({}),
  'claude.default_max_tokens': kind.object({ default: 8192 }),
  'claude.thinking_adapter_enabled': kind.bool(true),
  'claude.thinking_adapter_budget_tokens_percentage': kind.number(0.8, { whole: false, max: 1 }),
  'gemini.safety_settings': kind.object({ default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' }),
  'gemini.version_settings': kind.object({ default: 'v1beta', 'gemini-1.0-pro': 'v1' }),
  // Words, logs, drawing, dashboard
  CheckSensitiveEnabled: kind.bool(true),
  CheckSensitiveOnPromptEnabled: kind.bool(true),
  StopOnSensitiveEnabled: kind.bool(true),
  SensitiveWords: kind.text('test_sensitive'),
  StreamCacheQueueLength: kind.number(0),
  LogConsumeEnabled: kind.bool(true),
  DataExportEnabled: kind.bool(true),
  DataExportInterval: kind.number(5, { min: 1 }),
  DataExportDefaultTime: kind.choice('hour', ['day', 'week']),
  DrawingEnabled: kind.bool(true),
  TaskEnabled: kind.bool(true),
  MjNotifyEnabled: kind.bool(false),
  MjAccountFilterEnabled: kind.bool(false),
  MjModeClearEnabled: kind.bool(false),
  MjForwardUrlEnabled: kind.bool(true),
  MjActionCheckSuccessEnabled: kind.bool(true),
  FileUploadPermission: kind.number(0),
  FileDownloadPermission: kind.number(0),
  ImageUploadPermission: kind.number(0),
  ImageDownloadPermission: kind.number(0),
} as const;

type Definitions = typeof definitions;
export type OptionKey = keyof Definitions;

/** All options as values, by key. Immutable; a change gives a new record. */
export type Options = { readonly [K in OptionKey]: Definitions[K] extends kind.OptionKind<infer Value> ? Value : never };

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(definitions, key);
}

export const optionKeys = Object.keys(definitions).filter(isOptionKey);

function readChats(value: unknown): readonly Record<string, string>[] {
  return kind.listOf(value).map((entry) => {
    const pairs = kind.entriesOf(entry).map(([label, link]): [string, string] => [label, kind.textIn(link)]);
    if (pairs.length !== 1) throw new kind.OptionRefused('each chat is an object with one entry');
    return Object.fromEntries(pairs);
  });
}

function readPayMethods(value: unknown): readonly PayMethod[] {
  return kind.listOf(value).map((entry) => {
    const { name, type, color } = Object.fromEntries(kind.entriesOf(entry));
    if (typeof name !== 'string' || typeof type !== 'string' || name === '' || type === '') {
      throw new kind.OptionRefused('支付方式配置错误, 请联系管理员');
    }
    return typeof color === 'string' ? { name, type, color } : { name, type };
  });
}
