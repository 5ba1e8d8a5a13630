import type {
  DoctorReport,
  LedgerProof,
  LedgerSources,
  LedgerState,
  LogEntry,
  PricePreview,
  PriceSync,
  PriceVersion,
  PricingItem,
  Receipt,
} from '@tollgate/contract';

/** What calls cost, why, and whether the books agree. */

export const receipt: Receipt = {
  log_id: 1,
  request_id: '20261120170000123456789AbCdEfGh',
  model: 'gpt-4o',
  group: 'default',
  kind: 'token',
  price_version: 12,
  usage_source: 'upstream',
  usage_anomaly: false,
  lines: [
    { part: 'prompt', amount: '600', ratio: '1' },
    { part: 'cached', amount: '400', ratio: '0.5' },
    { part: 'completion', amount: '501', ratio: '4' },
  ],
  model_ratio: '1.25',
  call_price: '',
  quota_per_unit: 500_000,
  group_ratio: '0.9',
  special_group: false,
  surcharge: '',
  tier_up_to: 0,
  exact: '3154.5',
  rounding: 'half_up',
  recomputed: 3155,
  cost: 3155,
  collected: 3155,
  shortfall: 0,
  hmac: '5f1d7c1e9a0b4c3d8e2f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f70819',
  state: 'ok',
};

/** The receipt of a sample row of the log. */
export function receiptOf({ id, prompt_tokens: prompt, completion_tokens: completion, quota, ...entry }: LogEntry): Receipt {
  const { cache_tokens: cached = 0 } = JSON.parse(entry.other) as { cache_tokens?: number };
  const lines: Receipt['lines'] = [
    { part: 'prompt', amount: String(prompt - cached), ratio: '1' },
    ...(cached > 0 ? [{ part: 'cached' as const, amount: String(cached), ratio: '0.5' }] : []),
    { part: 'completion', amount: String(completion), ratio: '4' },
  ];
  const exact = lines.reduce((sum, { amount, ratio }) => sum + Number(amount) * Number(ratio), 0) * 1.25;
  return {
    ...receipt,
    ...{ log_id: id, request_id: entry.request_id, model: entry.model_name, group: entry.group, group_ratio: '1', lines },
    ...{ exact: String(exact), recomputed: quota, cost: quota, collected: quota },
  };
}

export const proof: LedgerProof = {
  ok: true,
  checked_at: 1_795_190_400,
  checks: [
    { name: 'wallet_equals_transfers', ok: true, detail: 'available + held of every wallet = sum of its transfers' },
    { name: 'held_equals_open_holds', ok: true, detail: 'held of every wallet = sum of its open holds' },
    { name: 'used_equals_log', ok: true, detail: 'used quota of every wallet = sum of its consumption rows in the log' },
  ],
};

export const ledgerState: LedgerState = {
  hourly: { checked_at: 1_795_190_400, ok: true, difference: '' },
  ...{ available: 1_834_220_000_000, held: 412_500_000, users: 1284, codes: 36, codes_quota: 90_000_000 },
};

export const ledgerSources: LedgerSources = {
  sources: [
    { account: 'payment', amount: 2_950_000_000_000 },
    { account: 'redeem', amount: 310_000_000_000 },
    { account: 'grant', amount: 6_420_000_000 },
    { account: 'invite', amount: 1_200_000_000 },
    { account: 'adjust', amount: -52_000_000 },
  ],
  ...{ affiliate: 88_000_000, agents: 152_310 },
};

export const doctor: DoctorReport = {
  ok: false,
  checked_at: 1_795_190_400,
  checks: [
    {
      id: 'backup_age',
      group: 'host',
      level: 'warn',
      title: '最近的备份',
      detail: '从未备份过。没有备份，磁盘坏了就什么都没了；主密钥要另外保存。',
      fix: '定时运行 npx tollgate backup --to 文件',
    },
    {
      id: 'proof_red',
      group: 'money',
      level: 'ok',
      title: '账本证明',
      detail: '余额、流水和日志对不上，钱算错了。',
      fix: '打开“账本证明”页面，或运行 npx tollgate doctor ledger。',
    },
    {
      id: 'default_password',
      group: 'people',
      level: 'fail',
      title: '默认密码',
      detail: '仍在使用：root。默认密码人人都知道，能连到内网的人就能登录。',
      fix: '登录后修改，或运行 npx tollgate user reset-password root。',
    },
  ],
};

const item = (model_name: string, fields: Partial<PricingItem> = {}): PricingItem => ({
  model_name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: 'OpenAI',
  completion_ratio: 4,
  enable_groups: ['default', 'vip'],
  cache_ratio: 0.5,
  cache_creation_ratio: 1,
  ...fields,
});
const tier = { cache_ratio: 0.25, cache_creation_ratio: 1 };

export const pricing: PricingItem[] = [
  item('gpt-4o', { cache_ratio: 0.5 }),
  item('gpt-4o-mini', { model_ratio: 0.075, enable_groups: ['vip'] }),
  item('gpt-4o-audio-preview', { audio_ratio: 16, audio_completion_ratio: 2 }),
  item('claude-3-7-sonnet-20250219', {
    ...{ owner_by: 'Anthropic', model_ratio: 1.5, completion_ratio: 5 },
    ...{ cache_ratio: 0.1, cache_creation_ratio: 1.25, cache_creation_1h_ratio: 2 },
  }),
  item('gemini-2.5-pro', {
    ...{ owner_by: 'Google', model_ratio: 0.625, completion_ratio: 8, ...tier },
    tiers: [
      { up_to: 200_000, model_ratio: 0.625, completion_ratio: 8, ...tier },
      { model_ratio: 1.25, completion_ratio: 6, ...tier },
    ],
  }),
  { ...item('dall-e-3'), ...{ quota_type: 1, model_ratio: 0, completion_ratio: 0, model_price: 0.04 } },
  { ...item('sora-2'), ...{ quota_type: 1, model_ratio: 0, completion_ratio: 0, model_price: 0.1, per_second: true } },
];

/** What stands beside the price list. */
export const pricingGroups = { group_ratio: { default: 1, vip: 0.8 }, usable_group: { default: '默认分组', vip: 'VIP 分组' } };

/** The options of the price editor. */
export const priceOptions = Object.entries({
  ModelRatio: { 'gpt-4o': 1.25, 'gpt-4o-mini': 0.075, 'claude-3-7-sonnet-20250219': 1.5, 'deepseek-chat': 0.135, o1: 7.5 },
  CompletionRatio: { 'gpt-4o': 4, 'gpt-4o-mini': 4, 'claude-3-7-sonnet-20250219': 5, 'deepseek-chat': 4, o1: 4 },
  ModelPrice: { 'dall-e-3': 0.04, mj_imagine: 0.1 },
  CacheRatio: { 'gpt-4o': 0.5 },
  PriceTiers: {
    'gemini-2.5-pro': [
      { up_to: 200_000, ratio: 0.625, completion: 8, cache: 0.25 },
      { ratio: 1.25, completion: 6, cache: 0.25 },
    ],
    'qwen-plus': [{ up_to: 128_000, ratio: 0.055 }, { up_to: 256_000, ratio: 0.165 }, { ratio: 0.33 }],
  },
  GroupRatio: { default: 1, vip: 0.8, svip: 0.6, trial: 1.2 },
  GroupGroupRatio: { vip: { default: 0.9, svip: 0.7 }, svip: { vip: 0.5 } },
}).map(([key, value]) => ({ key, value: JSON.stringify(value) }));

const users = ['lihua', 'zhangwei', 'wangfang', 'liuyang', 'chenjing', 'yangmin'].map((name, index) => ({
  ...{ id: index + 2, name, calls: 5213 - index * 700 },
  ...{ now: 41_000_000 - index * 5_300_000, next: 32_800_000 - index * (index < 3 ? 4_100_000 : 9_900_000) + index * 6_000_000 },
}));
export const pricePreview: PricePreview = {
  inherited: [],
  ...{ rows: 184_220, complete: true, unpriced: 12, now: 132_450_000, next: 118_020_000 },
  models: [
    { name: 'gpt-4o', calls: 91_002, now: 98_000_000, next: 83_570_000 },
    { name: 'gpt-4o-mini', calls: 80_113, now: 30_110_000, next: 30_110_000 },
  ],
  users,
  winners: users.filter(({ now, next }) => next < now),
  losers: users.filter(({ now, next }) => next > now),
};

const version = (id: number, fields: Partial<PriceVersion>): PriceVersion => ({
  ...{ id, author_id: 1, author: 'root', created_at: 1_795_190_400 - (9 - id) * 86_400, note: '', changed: 1 },
  diff: [{ option: 'ModelRatio', name: 'gpt-4o', from: '1', to: '1.25' }],
  ...fields,
});
export const priceVersions: PriceVersion[] = [
  version(9, {}),
  version(8, { note: 'rollback:5' }),
  version(7, { note: 'sync:catalogue', changed: 31 }),
];

const row = { option: 'ModelRatio', from: 1.25, extreme: false, enabled: true } as const;
export const priceSync: PriceSync = {
  source: 'catalogue',
  truncated: false,
  rows: [
    { ...row, model: 'gpt-4o', to: 1.5, ratio_change: 1.2 },
    { ...row, model: 'o1', from: 7.5, to: 7500, ratio_change: 1000, extreme: true },
    { ...row, option: 'CompletionRatio', model: 'kimi-k2', from: null, to: 4, ratio_change: null, enabled: false },
  ],
};
