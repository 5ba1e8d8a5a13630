import { type ListedOption, mostAmount } from '@tollgate/contract';
import { groupLimits } from './group-limits.ts';
import * as kind from './kinds.ts';
import { priceTiers } from './price-tiers.ts';
import * as texts from './texts.ts';

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
 * Every option of the product (contract 3.2, rulings 8 and 32): a key that is not here does not exist. Where it is edited and
 * what it affects stands in `optionGroups` of the contract; one without the other does not compile.
 * Price maps hold the operator's entries only; the catalogue stands behind them (rulings 2). The second value of a switch is
 * what counts when the stored one cannot be read (decision 0090).
 */
export const definitions = {
  // Sign-in and registration
  PasswordLoginEnabled: kind.bool(true),
  PasswordRegisterEnabled: kind.bool(true, false),
  RegisterEnabled: kind.bool(true, false),
  EmailVerificationEnabled: kind.bool(false, true),
  GitHubOAuthEnabled: kind.bool(false),
  GitHubClientId: texts.text(),
  GitHubClientSecret: texts.secret(),
  LinuxDOOAuthEnabled: kind.bool(false),
  LinuxDOClientId: texts.text(),
  LinuxDOClientSecret: texts.secret(),
  TelegramOAuthEnabled: kind.bool(false),
  TelegramBotToken: texts.secret(),
  TelegramBotName: texts.text(),
  WeChatAuthEnabled: kind.bool(false),
  WeChatServerAddress: texts.url(),
  WeChatServerToken: texts.secret('WeChatServerAddress'),
  WeChatAccountQRCodeImageURL: texts.image(),
  'oidc.enabled': kind.bool(false),
  'oidc.client_id': texts.text(),
  'oidc.client_secret': texts.secret('oidc.token_endpoint', 'oidc.well_known'),
  'oidc.well_known': texts.url(),
  'oidc.authorization_endpoint': texts.url(),
  'oidc.token_endpoint': texts.url(),
  'oidc.user_info_endpoint': texts.url(),
  TurnstileCheckEnabled: kind.bool(false, true),
  TurnstileSiteKey: texts.text(),
  TurnstileSecretKey: texts.secret(),
  EmailDomainRestrictionEnabled: kind.bool(false, true),
  EmailAliasRestrictionEnabled: kind.bool(false, true),
  EmailDomainWhitelist: kind.domains(emailDomains),
  // Mail, worker, payment
  SMTPServer: texts.text(),
  SMTPPort: kind.number(587, { min: 1, max: 65_535 }),
  SMTPAccount: texts.text(),
  SMTPFrom: texts.text(),
  SMTPToken: texts.secret('SMTPServer'),
  SMTPSSLEnabled: kind.bool(false),
  WxPusherEnabled: kind.bool(false),
  WxPusherAppToken: texts.secret(),
  // What root is told of; 0 = not of that.
  /** Percent of calls that failed within five minutes on one node. */
  AlertErrorRate: kind.number(30, { whole: false, max: 100 }),
  /** Fewer calls than this say nothing about a rate. */
  AlertErrorRateCalls: kind.number(50, { min: 1, max: 1_000_000 }),
  /** Minutes for which a channel has answered nothing. */
  AlertChannelDownMinutes: kind.number(10, { max: 1440 }),
  /** Dollars. */
  AlertUpstreamBalance: kind.number(0, { whole: false, max: 1_000_000_000 }),
  /** Percent of the disk that is free. */
  AlertDiskFree: kind.number(10, { whole: false, max: 99 }),
  /** What is paid for a model, as a share of its vendor's list price: 1 = the list price. */
  AlertCostRatio: kind.number(0, { whole: false, max: 100 }),
  /** How often the prices of a source are looked at; 0 = never. */
  PriceWatchHours: kind.number(0, { max: 720 }),
  /** Another gateway; "" = the bundled catalogue. */
  PriceWatchSource: texts.url(),
  /** Percent by which prices may move without root's yes; 0 = none may. */
  PriceWatchPercent: kind.number(0, { whole: false, max: 50 }),
  WorkerUrl: texts.url(),
  WorkerValidKey: texts.secret('WorkerUrl'),
  PayAddress: texts.url(),
  EpayId: texts.text(),
  EpayKey: texts.secret('PayAddress'),
  CustomCallbackAddress: texts.url(),
  Price: kind.number(7.3, { whole: false, max: 1_000_000 }),
  MinTopUp: kind.number(1, { min: 1 }),
  TopupGroupRatio: kind.ratios({ default: 1, vip: 1, svip: 1 }),
  PayMethods: kind.json(payMethods, readPayMethods, (methods) => methods),
  TopUpLink: texts.link(),
  StripeApiSecret: texts.secret(),
  StripeWebhookSecret: texts.secret(),
  /** A price of the payment service for one dollar of quota; "" = the amount is computed from StripeUnitPrice. */
  StripePriceId: texts.text(),
  StripeUnitPrice: kind.number(1, { whole: false, max: 1_000_000 }),
  StripeCurrency: kind.choice('usd', ['eur', 'gbp', 'cny', 'hkd', 'sgd', 'aud', 'cad']),
  StripeMinTopUp: kind.number(1, { min: 1 }),
  // Site
  SystemName: texts.name('Tollgate'),
  Logo: texts.image(),
  Notice: texts.markup(),
  About: texts.markup(),
  HomePageContent: texts.markup(),
  Footer: texts.markup(),
  ServerAddress: texts.url(),
  Chats: kind.json(chats, readChats, (list) => list),
  ChatLink: texts.link(),
  ChatLink2: texts.link(),
  'general_setting.docs_link': texts.link(),
  'general_setting.ping_interval_enabled': kind.bool(false),
  'general_setting.ping_interval_seconds': kind.number(60, { min: 1, max: 3600 }),
  DemoSiteEnabled: kind.bool(false),
  SelfUseModeEnabled: kind.bool(false),
  DisplayInCurrencyEnabled: kind.bool(true),
  DisplayTokenStatEnabled: kind.bool(true),
  DefaultCollapseSidebar: kind.bool(false),
  // Quota and prices
  QuotaForNewUser: kind.number(0, { max: mostAmount }),
  QuotaForInviter: kind.number(0, { max: mostAmount }),
  QuotaForInvitee: kind.number(0, { max: mostAmount }),
  QuotaRemindThreshold: kind.number(1000),
  InviteHold: kind.choice('none', ['first_payment', 'days'], 'first_payment'),
  InviteSameIpRewarded: kind.bool(true, false),
  /** The same mailbox under another spelling; the same browser. Only while one of these is off anything is kept for it. */
  InviteSameEmailRewarded: kind.bool(true, false),
  InviteSameDeviceRewarded: kind.bool(true, false),
  InviteDailyCap: kind.number(0),
  /** Days that rewards wait where they wait for days. */
  InviteHoldDays: kind.number(7, { max: 365 }),
  /** Percent of the quota that an invited user pays for; 0 = none. */
  InviteRebatePercent: kind.number(0, { whole: false, max: 100 }),
  InviteRebateHoldDays: kind.number(7, { max: 365 }),
  /** Most quota that rebates bring an inviter within a day; 0 = no limit. */
  InviteRebateDailyCap: kind.number(0),
  AgentEnabled: kind.bool(false),
  AgentApplyEnabled: kind.bool(true, false),
  /** An agent's share of what customers pay, where the agent has none of its own. */
  AgentDefaultRate: kind.number(0.1, { whole: false, max: 1 }),
  AgentMatureDays: kind.number(7, { max: 365 }),
  /** Cents. */
  AgentMinWithdraw: kind.number(10_000, { min: 1, max: 1_000_000_000_000 }),
  AgentFeeRate: kind.number(0, { whole: false, max: 0.99 }),
  /** Withdrawals of one agent that are open at once. */
  AgentMaxPending: kind.number(1, { min: 1, max: 100 }),
  /** The smallest hold, in tokens. */
  PreConsumedQuota: kind.number(500),
  /** How many times our own upper estimate of a prompt an upstream is believed, beside an allowance; 0 = any claim is. */
  UsagePromptFactor: kind.number(4, { whole: false, max: 10_000 }),
  MaxHoldCompletionTokens: kind.number(4096, { min: 1, max: 10_000_000 }),
  QuotaPerUnit: kind.number(500_000, { min: 1, max: 1_000_000_000_000 }),
  GroupRatio: kind.groupRatios({ default: 1, vip: 1, svip: 1 }),
  UserUsableGroups: kind.labels({ default: '默认分组', vip: 'vip分组' }),
  GroupGroupRatio: kind.nestedRatios(),
  AutoGroups: kind.names(['default']),
  DefaultUseAutoGroup: kind.bool(false),
  ModelRatio: kind.ratios({}),
  ModelPrice: kind.ratios({}),
  /** Dollars a second, for models whose calls have a length. */
  SecondPrice: kind.ratios({}),
  CompletionRatio: kind.ratios({ 'gpt-4-gizmo-*': 2, 'gpt-4o-gizmo-*': 3, 'gpt-4-all': 2 }),
  CacheRatio: kind.ratios({}),
  CreateCacheRatio: kind.ratios({}),
  CreateCacheRatio1h: kind.ratios({}),
  AudioRatio: kind.ratios({}),
  AudioCompletionRatio: kind.ratios({}),
  ImageRatio: kind.ratios({}),
  PriceTiers: priceTiers(),
  /** How a call may be served -> what that multiplies its price by; "*" = every model. What vendors asked when it was written. */
  ServiceTierRatio: kind.nestedRatios({
    '*': { priority: 2, fast: 2, ultrafast: 6, us: 1.1 },
    'gpt-5.5': { priority: 2.5, fast: 2.5 },
  }),
  /** Tool that an upstream runs itself -> dollars for 1,000 uses; "*" = every model. */
  ToolPrice: kind.nestedRatios(),
  GroupLimits: groupLimits(),
  // Relay and channels
  RetryTimes: kind.number(2, { max: 100 }),
  /** Until the first byte of this model's answer: before what the channel and the environment say. */
  ModelFirstByteSeconds: kind.secondsOfModels(),
  /** Channels with this tag are asked last, for tokens that want it, at so many times the price; "" = there is no pool. */
  BackupPoolTag: texts.text(),
  BackupPoolRatio: kind.number(1.5, { whole: false, max: 1000 }),
  /** The same conversation goes to the same channel and key as long as that one is well. */
  ChannelAffinityEnabled: kind.bool(true),
  ChannelDisableThreshold: kind.number(5, { whole: false, max: 86_400 }),
  /** Minutes between runs over all channels; 0 = never (rulings 27). */
  ChannelTestFrequency: kind.number(0, { max: 525_600 }),
  ChannelUpdateFrequency: kind.number(0, { max: 525_600 }),
  ChannelRunPauseSeconds: kind.number(0, { whole: false, max: 3600 }),
  AutomaticDisableChannelEnabled: kind.bool(false),
  AutomaticEnableChannelEnabled: kind.bool(false),
  AutomaticDisableKeywords: texts.lines(disableKeywords),
  ModelRequestRateLimitEnabled: kind.bool(false, true),
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
  SensitiveWords: texts.lines('test_sensitive'),
  StreamCacheQueueLength: kind.number(0),
  LogConsumeEnabled: kind.bool(true),
  ErrorLogEnabled: kind.bool(true),
  /** Whose questions and answers are kept: nobody's, those of failed calls, a share, everybody's. */
  LogBodies: kind.choice('none', ['errors', 'sampled', 'all']),
  /** Percent. */
  LogBodySampleRate: kind.number(1, { whole: false, max: 100 }),
  LogBodyDays: kind.number(7, { min: 1, max: 365 }),
  /** Of the question, and of the answer. */
  LogBodyMaxKb: kind.number(64, { min: 1, max: 1024 }),
  /** How long drawings and tasks keep what was asked for in words and what came of it; 0 = always. */
  TaskKeepDays: kind.number(0, { max: 3650 }),
  DataExportEnabled: kind.bool(true),
  DataExportInterval: kind.number(5, { min: 1 }),
  DataExportDefaultTime: kind.choice('hour', ['day', 'week']),
  DrawingEnabled: kind.bool(true, false),
  TaskEnabled: kind.bool(true, false),
  MjNotifyEnabled: kind.bool(false),
  MjAccountFilterEnabled: kind.bool(false),
  MjModeClearEnabled: kind.bool(false),
  MjForwardUrlEnabled: kind.bool(true),
  MjActionCheckSuccessEnabled: kind.bool(true),
  FileUploadPermission: kind.number(0),
  FileDownloadPermission: kind.number(0),
  ImageUploadPermission: kind.number(0),
  ImageDownloadPermission: kind.number(0),
} as const satisfies Record<ListedOption, kind.OptionKind<unknown>>;

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
    const pairs = kind.entriesOf(entry).map(([label, link]): [string, string] => [label, texts.chatLink(kind.textIn(link))]);
    if (pairs.length !== 1) throw new kind.OptionRefused('option_chats');
    return Object.fromEntries(pairs);
  });
}

function readPayMethods(value: unknown): readonly PayMethod[] {
  return kind.listOf(value).map((entry) => {
    const { name, type, color } = Object.fromEntries(kind.entriesOf(entry));
    const isNamed = typeof name === 'string' && typeof type === 'string' && name !== '' && type !== '';
    const isColoured = color === undefined || (typeof color === 'string' && /^[\w\s#%.,()+/-]{0,100}$/.test(color));
    if (!isNamed || !isColoured) throw new kind.OptionRefused('option_pay_methods');
    return typeof color === 'string' ? { name, type, color } : { name, type };
  });
}
