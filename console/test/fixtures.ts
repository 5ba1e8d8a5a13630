import {
  type Channel,
  type ChannelJob,
  type LogEntry,
  type LoginUser,
  neutralPolicy,
  readCallLimits,
  type Status,
  type Token,
  type User,
} from '@tollgate/contract';

/** Typed sample data for tests and for looking at the console. Times are relative to one fixed instant. */
export const now = 1_795_195_800;

export const status: Status = {
  version: '0.1.0',
  start_time: now - 86_400,
  system_name: 'Tollgate',
  logo: '',
  footer_html: '',
  server_address: 'https://gate.example.com',
  quota_per_unit: 500_000,
  display_in_currency: true,
  quota_remind_threshold: 1000,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: false,
  data_export_default_time: 'hour',
  default_collapse_sidebar: false,
  wxpusher_enabled: false,
  mj_notify_enabled: false,
  chats: [],
  chat_link: '',
  chat_link2: '',
  pay_methods: [],
  email_verification: false,
  turnstile_check: false,
  turnstile_site_key: '',
  github_oauth: false,
  github_client_id: '',
  linuxdo_oauth: false,
  linuxdo_client_id: '',
  wechat_login: false,
  wechat_qrcode: '',
  telegram_oauth: false,
  telegram_bot_name: '',
  oidc_enabled: false,
  oidc_client_id: '',
  oidc_authorization_endpoint: '',
  price: 7.3,
  min_topup: 1,
  top_up_link: '',
  enable_online_topup: false,
  enable_stripe_topup: false,
  stripe_min_topup: 1,
  stripe_currency: 'usd',
  default_use_auto_group: false,
  agent_enabled: false,
  agent_apply_enabled: false,
  demo_site_enabled: false,
  self_use_mode_enabled: false,
  docs_link: '',
  setup: true,
  enable_batch_update: false,
  password_login: true,
  register_enabled: true,
  password_register: true,
};

export const root: LoginUser = { id: 1, username: 'root', display_name: 'Root User', role: 100, status: 1, group: 'default' };
export const common: LoginUser = { id: 7, username: 'lihua', display_name: '李华', role: 1, status: 1, group: 'default' };

export const userOf = (user: LoginUser): User => ({
  ...user,
  password: '',
  access_token: '',
  limits: readCallLimits(''),
  verification_code: '',
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  quota: 61_728_394,
  quota_held: 0,
  quota_version: 3,
  used_quota: 4_210_000,
  request_count: 8123,
  aff_code: 'Ab3d',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null,
  setting: '',
  created_time: now - 9_000_000,
});

const emptyChannel: Channel = {
  id: 0,
  type: 1,
  key: '',
  key_hint: '…9f3K',
  openai_organization: '',
  test_model: '',
  status: 1,
  name: '',
  weight: 0,
  priority: 0,
  created_time: now - 4_000_000,
  test_time: now - 3600,
  response_time: 640,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'gpt-4o,gpt-4o-mini,o3-mini',
  group: 'default',
  used_quota: 0,
  model_mapping: '',
  status_code_mapping: '',
  auto_ban: 1,
  other_info: '',
  tag: '',
  setting: '',
  param_override: '',
  header_override: '',
};
export const channelOf = (fields: Partial<Channel>): Channel => ({ ...emptyChannel, ...fields });

const names = [
  '主线路',
  '备用线路',
  '华东节点',
  '低价池',
  'Azure 迁移前',
  '推理专用',
  '长文本',
  'embedding',
  '夜间批处理',
  '测试环境',
];
const types = [1, 43, 40, 20, 8, 25, 45, 48, 42, 46];
const responses = [412, 1480, 0, 3960, 812, 7210, 655, 2210, 0, 930];

export const channels: Channel[] = Array.from({ length: 46 }, (_, index) => {
  const kind = index % 10;
  return channelOf({
    id: 46 - index,
    type: types[kind],
    name: index < 10 ? `${names[kind]}` : `${names[kind]} ${Math.floor(index / 10) + 1}`,
    status: kind === 3 ? 3 : kind === 8 ? 2 : 1,
    other_info: kind === 3 ? JSON.stringify({ status_reason: '401 Incorrect API key provided', status_time: now - 7200 }) : '',
    tag: kind === 1 ? '生产' : '',
    group: kind === 5 ? 'default,vip,svip' : kind % 2 ? 'default,vip' : 'default',
    response_time: responses[kind],
    test_time: responses[kind] === 0 ? 0 : now - 3600 * kind,
    used_quota: (index * 7_919_113) % 98_765_432,
    balance: kind % 3 === 0 ? 128.4 + index : 0,
    balance_updated_time: kind % 3 === 0 ? now - 600 : 0,
    priority: 100 - Math.floor(index / 5) * 10,
    weight: (index * 7) % 20,
  });
});

const key = (seed: number): string =>
  `${'Qw3eRt7yUi9oPa2sDf5gHj8kLz1xCv4bNm6QwErTyUiOpAsDf'.slice(seed % 2, 46 + (seed % 2))}${String(seed).padStart(2, '0')}`;
const emptyToken: Token = {
  id: 0,
  user_id: 1,
  key: key(0),
  status: 1,
  name: '',
  created_time: now - 2_000_000,
  accessed_time: now - 60,
  expired_time: -1,
  remain_quota: 500_000,
  quota_version: 3,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  used_quota: 0,
  group: '',
  ...neutralPolicy,
  DeletedAt: null,
  old_key: null,
};
export const tokenOf = (fields: Partial<Token>): Token => ({ ...emptyToken, ...fields });

export const tokens: Token[] = [
  tokenOf({ id: 12, name: '线上服务', key: key(12), unlimited_quota: true, used_quota: 38_211_004, group: 'vip' }),
  tokenOf({
    id: 11,
    name: 'VS Code',
    key: key(11),
    remain_quota: 2_140_233,
    used_quota: 2_859_767,
    model_limits_enabled: true,
    model_limits: 'gpt-4o,gpt-4o-mini',
  }),
  tokenOf({ id: 10, name: '数据标注', key: key(10), remain_quota: 90_000, used_quota: 4_910_000, expired_time: now + 700_000 }),
  tokenOf({ id: 9, name: '实习生', key: key(9), status: 3, expired_time: now - 86_400, used_quota: 120_500 }),
  tokenOf({ id: 8, name: '压测', key: key(8), status: 4, remain_quota: 0, used_quota: 5_000_000 }),
  tokenOf({ id: 7, name: 'old-laptop', key: key(7), status: 2, remain_quota: 430_000, used_quota: 70_000 }),
  tokenOf({ id: 6, name: 'ci-nightly', key: key(6), remain_quota: 49_000_000, used_quota: 1_000_000, group: 'default' }),
];

const models = ['gpt-4o', 'gpt-4o-mini', 'deepseek-chat', 'o3-mini', 'text-embedding-3-small'];

export const logOf = (fields: Partial<LogEntry>): LogEntry => ({
  id: 1,
  user_id: 1,
  created_at: now - 60,
  type: 2,
  content: '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00',
  username: 'root',
  token_name: '线上服务',
  model_name: 'gpt-4o',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 3,
  is_stream: true,
  channel: 3,
  channel_name: '主线路',
  token_id: 12,
  group: 'default',
  other: '{}',
  request_id: '20261120170000123456789AbCdEfGh',
  ip: '203.0.113.24',
  ...fields,
});

export const logs: LogEntry[] = Array.from({ length: 100 }, (_, index) => {
  const prompt = 180 + ((index * 977) % 9000);
  const completion = 40 + ((index * 331) % 1800);
  const cached = index % 3 === 0 ? Math.floor(prompt / 2) : 0;
  const system = index % 17 === 9;
  const retried = index % 11 === 4;
  const other = {
    model_ratio: 1.25,
    completion_ratio: 4,
    group_ratio: 1,
    model_price: -1,
    cache_tokens: cached,
    cache_ratio: 0.5,
    frt: 380 + ((index * 613) % 4200),
    admin_info: { use_channel: retried ? ['4', '3'] : ['3'] },
  };
  return logOf({
    id: 5000 - index,
    created_at: now - index * 37,
    type: system ? 4 : 2,
    content: system ? '新用户注册赠送 ＄0.400000 额度' : '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00',
    username: index % 4 ? 'root' : 'lihua',
    token_name: system ? '' : ['线上服务', 'VS Code', 'ci-nightly'][index % 3],
    model_name: system ? '' : models[index % 5],
    quota: system ? 0 : Math.round((prompt - cached + cached * 0.5 + completion * 4) * 1.25),
    prompt_tokens: system ? 0 : prompt,
    completion_tokens: system ? 0 : completion,
    use_time: index % 23 === 0 ? 134 : 1 + (index % 14),
    is_stream: index % 4 !== 1,
    channel: system ? 0 : (index % 6) + 1,
    group: system ? '' : index % 5 === 0 ? 'vip' : 'default',
    other: system ? '{}' : JSON.stringify(other),
    request_id: `20261120${String(170000 + index)}123456789AbCdEf${String(index).padStart(2, '0')}`,
  });
});

export const modelNames = [
  'gpt-4o',
  'gpt-4o-mini',
  'o3-mini',
  'gpt-4.1',
  'gpt-4.1-mini',
  'text-embedding-3-small',
  'deepseek-chat',
  'deepseek-reasoner',
];
export const groups = { default: { ratio: 1, desc: '默认分组' }, vip: { ratio: 0.8, desc: 'VIP 分组' } };

export const idleJob: ChannelJob = { running: false, done: 0, total: 0, failed: 0, results: [] };
