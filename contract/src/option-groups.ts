/** The tabs of the settings page that hold options; `none`: kept for sites that are moved here, without a control. */
export type OptionTab = 'operation' | 'system' | 'other' | 'none';

/** How an option is edited. `prices` stand in the price editor. */
export type OptionControl =
  | 'switch'
  | 'number'
  | 'quota'
  | 'text'
  | 'address'
  | 'secret'
  | 'choice'
  | 'words'
  | 'lines'
  | 'markup'
  | 'json'
  | 'chats'
  | 'prices';

/** What a change of an option is felt by, on every node within 5 seconds. */
export type OptionArea =
  | 'accounts'
  | 'agents'
  | 'alerts'
  | 'channels'
  | 'dashboard'
  | 'drawing'
  | 'invites'
  | 'logs'
  | 'mail'
  | 'nothing'
  | 'pages'
  | 'payment'
  | 'prices'
  | 'relay'
  | 'sign-in';

interface OptionGroup {
  readonly tab: OptionTab;
  readonly affects: OptionArea;
  readonly options: Readonly<Record<string, OptionControl>>;
}

/** Every option of the product (contract 3.2, rulings 8 and 32), in the order of the settings page. */
export const optionGroups = {
  quota: {
    tab: 'operation',
    affects: 'accounts',
    options: {
      QuotaForNewUser: 'quota',
      QuotaForInviter: 'quota',
      QuotaForInvitee: 'quota',
      QuotaRemindThreshold: 'quota',
      PreConsumedQuota: 'number',
      MaxHoldCompletionTokens: 'number',
      UsagePromptFactor: 'number',
      QuotaPerUnit: 'number',
    },
  },
  invites: {
    tab: 'operation',
    affects: 'invites',
    options: {
      InviteHold: 'choice',
      InviteHoldDays: 'number',
      InviteSameIpRewarded: 'switch',
      InviteSameEmailRewarded: 'switch',
      InviteSameDeviceRewarded: 'switch',
      InviteDailyCap: 'number',
      InviteRebatePercent: 'number',
      InviteRebateHoldDays: 'number',
      InviteRebateDailyCap: 'quota',
    },
  },
  agents: {
    tab: 'operation',
    affects: 'agents',
    options: {
      AgentEnabled: 'switch',
      AgentApplyEnabled: 'switch',
      AgentDefaultRate: 'number',
      AgentMatureDays: 'number',
      AgentMinWithdraw: 'number',
      AgentFeeRate: 'number',
      AgentMaxPending: 'number',
    },
  },
  channels: {
    tab: 'operation',
    affects: 'channels',
    options: {
      RetryTimes: 'number',
      ChannelAffinityEnabled: 'switch',
      ChannelDisableThreshold: 'number',
      AutomaticDisableChannelEnabled: 'switch',
      AutomaticEnableChannelEnabled: 'switch',
      AutomaticDisableKeywords: 'lines',
      ChannelTestFrequency: 'number',
      ChannelUpdateFrequency: 'number',
      ChannelRunPauseSeconds: 'number',
      BackupPoolTag: 'text',
      BackupPoolRatio: 'number',
    },
  },
  links: {
    tab: 'operation',
    affects: 'pages',
    options: { TopUpLink: 'address', ChatLink: 'address', ChatLink2: 'address', 'general_setting.docs_link': 'address' },
  },
  display: {
    tab: 'operation',
    affects: 'pages',
    options: {
      DisplayInCurrencyEnabled: 'switch',
      DisplayTokenStatEnabled: 'switch',
      DefaultCollapseSidebar: 'switch',
      DemoSiteEnabled: 'switch',
      SelfUseModeEnabled: 'switch',
    },
  },
  drawing: {
    tab: 'operation',
    affects: 'drawing',
    options: {
      DrawingEnabled: 'switch',
      TaskEnabled: 'switch',
      MjNotifyEnabled: 'switch',
      MjAccountFilterEnabled: 'switch',
      MjForwardUrlEnabled: 'switch',
      MjModeClearEnabled: 'switch',
      MjActionCheckSuccessEnabled: 'switch',
    },
  },
  sensitive: {
    tab: 'operation',
    affects: 'relay',
    options: {
      CheckSensitiveEnabled: 'switch',
      CheckSensitiveOnPromptEnabled: 'switch',
      SensitiveWords: 'lines',
    },
  },
  logs: {
    tab: 'operation',
    affects: 'logs',
    options: {
      LogConsumeEnabled: 'switch',
      ErrorLogEnabled: 'switch',
      LogBodies: 'choice',
      LogBodySampleRate: 'number',
      LogBodyDays: 'number',
      LogBodyMaxKb: 'number',
      TaskKeepDays: 'number',
      DataExportEnabled: 'switch',
      DataExportInterval: 'number',
      DataExportDefaultTime: 'choice',
    },
  },
  limits: {
    tab: 'operation',
    affects: 'relay',
    options: {
      ModelRequestRateLimitEnabled: 'switch',
      ModelRequestRateLimitDurationMinutes: 'number',
      ModelRequestRateLimitCount: 'number',
      ModelRequestRateLimitSuccessCount: 'number',
      GroupLimits: 'json',
    },
  },
  relay: {
    tab: 'operation',
    affects: 'relay',
    options: {
      'global.pass_through_request_enabled': 'switch',
      'general_setting.ping_interval_enabled': 'switch',
      'general_setting.ping_interval_seconds': 'number',
      ModelFirstByteSeconds: 'json',
      'claude.thinking_adapter_enabled': 'switch',
      'claude.thinking_adapter_budget_tokens_percentage': 'number',
      'claude.default_max_tokens': 'json',
      'claude.model_headers_settings': 'json',
      'gemini.safety_settings': 'json',
      'gemini.version_settings': 'json',
    },
  },
  chats: { tab: 'operation', affects: 'pages', options: { Chats: 'chats' } },
  groups: {
    tab: 'operation',
    affects: 'prices',
    options: { UserUsableGroups: 'json', AutoGroups: 'json', DefaultUseAutoGroup: 'switch' },
  },
  prices: {
    tab: 'operation',
    affects: 'prices',
    options: {
      ModelRatio: 'prices',
      ModelPrice: 'prices',
      CompletionRatio: 'prices',
      CacheRatio: 'prices',
      CreateCacheRatio: 'prices',
      CreateCacheRatio1h: 'prices',
      SecondPrice: 'prices',
      AudioRatio: 'prices',
      AudioCompletionRatio: 'prices',
      ImageRatio: 'prices',
      PriceTiers: 'prices',
      ServiceTierRatio: 'prices',
      ToolPrice: 'prices',
      GroupRatio: 'prices',
      GroupGroupRatio: 'prices',
    },
  },
  price_watch: {
    tab: 'operation',
    affects: 'prices',
    options: { PriceWatchHours: 'number', PriceWatchSource: 'address', PriceWatchPercent: 'number' },
  },
  server: {
    tab: 'system',
    affects: 'pages',
    options: { ServerAddress: 'address', WorkerUrl: 'address', WorkerValidKey: 'secret' },
  },
  payment: {
    tab: 'system',
    affects: 'payment',
    options: {
      PayAddress: 'address',
      EpayId: 'text',
      EpayKey: 'secret',
      CustomCallbackAddress: 'address',
      Price: 'number',
      MinTopUp: 'number',
      TopupGroupRatio: 'json',
      PayMethods: 'json',
    },
  },
  stripe: {
    tab: 'system',
    affects: 'payment',
    options: {
      StripeApiSecret: 'secret',
      StripeWebhookSecret: 'secret',
      StripePriceId: 'text',
      StripeUnitPrice: 'number',
      StripeCurrency: 'choice',
      StripeMinTopUp: 'number',
    },
  },
  login: {
    tab: 'system',
    affects: 'sign-in',
    options: {
      PasswordLoginEnabled: 'switch',
      PasswordRegisterEnabled: 'switch',
      RegisterEnabled: 'switch',
      EmailVerificationEnabled: 'switch',
    },
  },
  github: {
    tab: 'system',
    affects: 'sign-in',
    options: { GitHubOAuthEnabled: 'switch', GitHubClientId: 'text', GitHubClientSecret: 'secret' },
  },
  linuxdo: {
    tab: 'system',
    affects: 'sign-in',
    options: { LinuxDOOAuthEnabled: 'switch', LinuxDOClientId: 'text', LinuxDOClientSecret: 'secret' },
  },
  wechat: {
    tab: 'system',
    affects: 'sign-in',
    options: {
      WeChatAuthEnabled: 'switch',
      WeChatServerAddress: 'address',
      WeChatServerToken: 'secret',
      WeChatAccountQRCodeImageURL: 'address',
    },
  },
  telegram: {
    tab: 'system',
    affects: 'sign-in',
    options: { TelegramOAuthEnabled: 'switch', TelegramBotToken: 'secret', TelegramBotName: 'text' },
  },
  oidc: {
    tab: 'system',
    affects: 'sign-in',
    options: {
      'oidc.enabled': 'switch',
      'oidc.client_id': 'text',
      'oidc.client_secret': 'secret',
      'oidc.well_known': 'address',
      'oidc.authorization_endpoint': 'address',
      'oidc.token_endpoint': 'address',
      'oidc.user_info_endpoint': 'address',
    },
  },
  turnstile: {
    tab: 'system',
    affects: 'sign-in',
    options: { TurnstileCheckEnabled: 'switch', TurnstileSiteKey: 'text', TurnstileSecretKey: 'secret' },
  },
  email: {
    tab: 'system',
    affects: 'sign-in',
    options: {
      EmailDomainRestrictionEnabled: 'switch',
      EmailAliasRestrictionEnabled: 'switch',
      EmailDomainWhitelist: 'words',
    },
  },
  smtp: {
    tab: 'system',
    affects: 'mail',
    options: {
      SMTPServer: 'text',
      SMTPPort: 'number',
      SMTPAccount: 'text',
      SMTPFrom: 'text',
      SMTPToken: 'secret',
      SMTPSSLEnabled: 'switch',
    },
  },
  wxpusher: {
    tab: 'system',
    affects: 'alerts',
    options: { WxPusherEnabled: 'switch', WxPusherAppToken: 'secret' },
  },
  alerts: {
    tab: 'operation',
    affects: 'alerts',
    options: {
      AlertErrorRate: 'number',
      AlertErrorRateCalls: 'number',
      AlertChannelDownMinutes: 'number',
      AlertUpstreamBalance: 'number',
      AlertDiskFree: 'number',
      AlertCostRatio: 'number',
    },
  },
  notice: { tab: 'other', affects: 'pages', options: { Notice: 'markup' } },
  site: {
    tab: 'other',
    affects: 'pages',
    options: {
      SystemName: 'text',
      Logo: 'address',
      HomePageContent: 'markup',
      About: 'markup',
      Footer: 'markup',
    },
  },
  legacy: {
    tab: 'none',
    affects: 'nothing',
    options: {
      FileUploadPermission: 'number',
      FileDownloadPermission: 'number',
      ImageUploadPermission: 'number',
      ImageDownloadPermission: 'number',
      StreamCacheQueueLength: 'number',
      StopOnSensitiveEnabled: 'switch',
    },
  },
} as const satisfies Record<string, OptionGroup>;

export type OptionGroupName = keyof typeof optionGroups;
type KeysOf<Group> = Group extends { options: infer Options } ? keyof Options : never;
export type ListedOption = { [Name in OptionGroupName]: KeysOf<(typeof optionGroups)[Name]> }[OptionGroupName];
