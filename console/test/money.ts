import type {
  CodeCampaign,
  InboxEntry,
  InviteInfo,
  InviteRecord,
  Redemption,
  RewardRecord,
  Statement,
  TopupOrder,
} from '@tollgate/contract';
import { now } from './fixtures.ts';

/** Typed sample data around money: codes, orders, invitations. */
const code = (fields: Partial<Redemption>): Redemption => ({
  id: 0,
  user_id: 1,
  key: '0123456789abcdef0123456789abcdef',
  status: 1,
  name: '',
  quota: 5_000_000,
  created_time: now - 86_400,
  redeemed_time: 0,
  count: 0,
  used_user_id: 0,
  expired_time: 0,
  per_user: 0,
  DeletedAt: null,
  ...fields,
});
export const redemptions: Redemption[] = [
  code({ id: 3, name: '开业活动', key: 'c0ffee00c0ffee00c0ffee00c0ffee00' }),
  code({ id: 2, name: '$10.00', status: 2 }),
  code({ id: 1, name: '老用户回馈', status: 3, redeemed_time: now - 3600, used_user_id: 7 }),
];

const campaign = (fields: Partial<CodeCampaign>): CodeCampaign => ({
  name: '',
  made: 500,
  redeemed: 312,
  withdrawn: 20,
  expired: 0,
  open: 168,
  users: 309,
  quota_given: 1_560_000_000,
  quota_open: 840_000_000,
  created_time: now - 86_400,
  ...fields,
});
export const campaigns: CodeCampaign[] = [
  campaign({ name: '开业活动' }),
  campaign({ name: '老用户回馈', made: 100, redeemed: 64, withdrawn: 0, expired: 36, open: 0, users: 64, quota_open: 0 }),
];

const order = (fields: Partial<TopupOrder>): TopupOrder => ({
  id: 0,
  user_id: 7,
  username: '',
  provider: 'epay',
  payment_method: 'alipay',
  trade_no: 'USR7NOa1b2c31795195800',
  amount: 10,
  quota: 5_000_000,
  money: '73.00',
  refunded: '0.00',
  currency: 'cny',
  status: 'paid',
  create_time: now - 7200,
  expire_time: now + 79_200,
  complete_time: now - 7100,
  ...fields,
});
export const orders: TopupOrder[] = [
  order({ id: 2, status: 'pending', complete_time: 0, create_time: now - 60 }),
  order({ id: 1 }),
];

export const statementOf = (month: string, fields: Partial<Statement> = {}): Statement => ({
  user_id: 7,
  username: 'alice',
  month,
  time_zone: 'Asia/Shanghai',
  start: now - 20 * 86_400,
  end: now + 10 * 86_400,
  opening: 2_500_000,
  movements: [
    { kind: 'payment', count: 2, amount: 10_000_000 },
    { kind: 'redeem', count: 1, amount: 500_000 },
    { kind: 'give_back', count: 1, amount: 1_234 },
    { kind: 'adjust', count: 1, amount: -250_000 },
  ],
  charged: 4_321_000,
  charges: [
    {
      model: 'claude-sonnet-4-5',
      token: 'work',
      calls: 812,
      prompt_tokens: 5_120_000,
      completion_tokens: 411_000,
      quota: 4_000_000,
    },
    { model: 'gpt-4o-mini', token: 'home', calls: 96, prompt_tokens: 204_800, completion_tokens: 40_960, quota: 321_000 },
  ],
  closing: 8_430_234,
  ...fields,
});

export const inviteInfo: InviteInfo = {
  code: 'Ab3d',
  path: '/register?aff=Ab3d',
  count: 2,
  quota: 1_500_000,
  history_quota: 4_000_000,
  waiting_quota: 250_000,
  owed_quota: 50_000,
  inviter_reward: 500_000,
  invitee_reward: 250_000,
  rebate_percent: 5,
};
export const inviteRecords: InviteRecord[] = [
  { id: 2, username: 'z***i', created_time: now - 4000, paid_quota: 500_000, waiting_quota: 0 },
  { id: 1, username: 'w***g', created_time: now - 90_000, paid_quota: 0, waiting_quota: 250_000 },
];

const reward = (fields: Partial<RewardRecord>): RewardRecord => ({
  id: 0,
  kind: 'register',
  user_id: 31,
  username: 'w***g',
  amount: 500_000,
  reversed: 0,
  state: 'paid',
  due_at: 0,
  created_at: now - 90_000,
  ...fields,
});
export const rewards: RewardRecord[] = [
  reward({ id: 4, kind: 'rebate', amount: 250_000, state: 'waiting', due_at: now + 5 * 86_400, created_at: now - 3600 }),
  reward({ id: 3, username: 'z***i', state: 'waiting', due_at: -1, created_at: now - 7200 }),
  reward({ id: 2, kind: 'rebate', amount: 125_000, state: 'void' }),
  reward({ id: 1, kind: 'rebate', reversed: 125_000 }),
];

/** Orders of everybody, and what payment services said. */
export const everyOrder: TopupOrder[] = [
  order({ id: 5, username: 'lihua', trade_no: 'USR7NOa1b2c31795195800', status: 'pending', complete_time: 0 }),
  order({
    id: 4,
    user_id: 9,
    username: 'zhangwei',
    provider: 'stripe',
    payment_method: 'stripe',
    currency: 'usd',
    money: '10.00',
  }),
  order({ id: 3, username: 'lihua', status: 'paid_late', trade_no: 'USR7NOq9w8e71795109400', refunded: '20.00' }),
  order({ id: 2, user_id: 12, username: 'wangfang', status: 'expired', complete_time: 0 }),
  order({
    id: 1,
    user_id: 12,
    username: 'wangfang',
    status: 'refunded',
    amount: 100,
    quota: 50_000_000,
    money: '730.00',
    refunded: '730.00',
  }),
];

const notice = (fields: Partial<InboxEntry>): InboxEntry => ({
  id: 0,
  provider: 'epay',
  kind: 'TRADE_SUCCESS',
  verdict: 'credited',
  detail: '',
  trade_no: 'USR7NOa1b2c31795195800',
  order_id: 3,
  money: '73.00',
  currency: 'cny',
  summary: '{"out_trade_no":"USR7NOa1b2c31795195800","trade_status":"TRADE_SUCCESS","money":"73.00","type":"alipay"}',
  seen: 1,
  received_at: now - 7100,
  last_at: now - 7100,
  ...fields,
});
export const unmatchedNotices: InboxEntry[] = [
  notice({ id: 9, verdict: 'unmatched_money', money: '36.50', detail: '36.50 cny instead of 73.00 cny', order_id: 5 }),
  notice({
    id: 8,
    verdict: 'unmatched_order',
    trade_no: 'USR3NOx1y2z31795000000',
    order_id: 0,
    detail: 'no such order',
    seen: 4,
  }),
];
export const notices: InboxEntry[] = [
  ...unmatchedNotices,
  notice({ id: 7, verdict: 'credited_late' }),
  notice({ id: 6, verdict: 'bad_signature', trade_no: '', money: '', order_id: 0, detail: 'the signature is not ours' }),
  notice({ id: 5, provider: 'stripe', kind: 'checkout.session.completed', currency: 'usd', money: '10.00', order_id: 4 }),
  notice({ id: 4, verdict: 'repeat', seen: 12 }),
  notice({ id: 3, provider: 'stripe', kind: 'charge.refunded', verdict: 'refunded', currency: 'usd', money: '10.00' }),
];
