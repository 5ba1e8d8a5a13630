import { neutralPolicy, never, role, type TokenInput, userStatus } from '@tollgate/contract';

/** In quota. */
export const dollar = 500_000;
const day = 86_400;

export const historyDays = 30;

/** Times are days before now. */
export interface SampleUser {
  readonly username: string;
  readonly displayName: string;
  readonly group: string;
  readonly role?: number;
  readonly status?: number;
  /** Who invited. */
  readonly invitedBy?: string;
  readonly joined: number;
  readonly grants: readonly { readonly daysAgo: number; readonly quota: number }[];
}

export const users: readonly SampleUser[] = [
  {
    username: 'research',
    displayName: '研究组 Research',
    group: 'vip',
    joined: 30,
    grants: [
      { daysAgo: 30, quota: 40 * dollar },
      { daysAgo: 11, quota: 25 * dollar },
    ],
  },
  {
    username: 'support',
    displayName: '客服 Support',
    group: 'default',
    joined: 30,
    grants: [{ daysAgo: 30, quota: 30 * dollar }],
  },
  { username: 'design', displayName: '设计 Design', group: 'svip', joined: 29, grants: [{ daysAgo: 29, quota: 20 * dollar }] },
  { username: 'operations', displayName: '运维 Operations', group: 'default', role: role.admin, joined: 29, grants: [] },
  { username: 'trial', displayName: '试用 Trial', group: 'default', invitedBy: 'design', joined: 9, grants: [] },
  {
    username: 'archive',
    displayName: '已停用 Archive',
    group: 'default',
    status: userStatus.disabled,
    joined: 30,
    grants: [{ daysAgo: 30, quota: 5 * dollar }],
  },
];

export type SampleToken = Omit<TokenInput, 'expired_time'> & {
  readonly owner: string;
  /** Days from now, negative = past; absent = never expires. */
  readonly expiresInDays?: number;
  /** What becomes of it after the history is written. */
  readonly end?: 'disabled' | 'expired' | 'exhausted';
  /** Share of its owner's calls. */
  readonly traffic: number;
  /** Days before now between which it is used; default: the whole history. */
  readonly usedBetween?: readonly [number, number];
};

const plain = {
  remain_quota: 0,
  unlimited_quota: true,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  ...neutralPolicy,
  group: '',
} as const;

export const curlToken = 'playground';

export const tokens: readonly SampleToken[] = [
  { ...plain, owner: 'root', name: curlToken, traffic: 4 },
  { ...plain, owner: 'root', name: 'website', unlimited_quota: false, remain_quota: 20 * dollar, traffic: 6 },
  {
    ...plain,
    owner: 'root',
    name: 'small models only',
    model_limits_enabled: true,
    model_limits: 'gpt-4o-mini,gpt-4.1-mini,mistral-small-latest',
    traffic: 2,
  },
  { ...plain, owner: 'root', name: 'office network', allow_ips: '192.0.2.0/24\n127.0.0.1', group: 'vip', traffic: 1 },
  { ...plain, owner: 'root', name: 'old laptop', end: 'disabled', traffic: 1, usedBetween: [30, 16] },
  { ...plain, owner: 'root', name: 'conference', expiresInDays: -12, end: 'expired', traffic: 3, usedBetween: [20, 13] },
  {
    ...plain,
    owner: 'root',
    name: 'workshop',
    unlimited_quota: false,
    remain_quota: dollar / 50,
    model_limits_enabled: true,
    model_limits: 'gpt-4.1-mini',
    end: 'exhausted',
    traffic: 2,
    usedBetween: [9, 6],
  },
  { ...plain, owner: 'research', name: 'notebooks', traffic: 1 },
  { ...plain, owner: 'support', name: 'ticket bot', unlimited_quota: false, remain_quota: 25 * dollar, traffic: 1 },
  { ...plain, owner: 'design', name: 'plugin', group: 'auto', expiresInDays: 60, traffic: 1 },
  {
    ...plain,
    owner: 'trial',
    name: 'first steps',
    unlimited_quota: false,
    remain_quota: dollar / 4,
    expiresInDays: 5,
    traffic: 1,
  },
  { ...plain, owner: 'archive', name: 'retired service', traffic: 1, usedBetween: [30, 18] },
];

/** When a token expires, in unix seconds. */
export function expiryOf(token: SampleToken, now: number): number {
  return token.expiresInDays === undefined ? never : now + token.expiresInDays * day;
}

/** How much of all calls a user makes, and with which models. */
export const traffic: readonly {
  readonly username: string;
  readonly share: number;
  readonly models: readonly (readonly [string, number])[];
}[] = [
  {
    username: 'research',
    share: 34,
    models: [
      ['gpt-4o', 3],
      ['deepseek-reasoner', 4],
      ['o4-mini', 3],
      ['mistral-large-latest', 2],
      ['gpt-5-mini', 2],
    ],
  },
  {
    username: 'support',
    share: 30,
    models: [
      ['gpt-4o-mini', 12],
      ['deepseek-chat', 5],
      ['gpt-4.1-mini', 4],
    ],
  },
  {
    username: 'root',
    share: 18,
    models: [
      ['gpt-4o-mini', 6],
      ['gpt-4.1-mini', 3],
      ['house-assistant', 2],
      ['gpt-4o', 1],
    ],
  },
  {
    username: 'design',
    share: 12,
    models: [
      ['gpt-4o', 4],
      ['claude-sonnet-4-20250514', 3],
      ['gpt-4.1', 2],
    ],
  },
  {
    username: 'trial',
    share: 3,
    models: [
      ['gpt-4o-mini', 4],
      ['deepseek-chat', 1],
    ],
  },
  {
    username: 'archive',
    share: 3,
    models: [
      ['gpt-4o-mini', 3],
      ['moonshot-v1-8k', 2],
    ],
  },
];
