import type { InviteInfo, InviteRecord, Redemption, TopupOrder } from '@tollgate/contract';
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
  DeletedAt: null,
  ...fields,
});
export const redemptions: Redemption[] = [
  code({ id: 3, name: '开业活动', key: 'c0ffee00c0ffee00c0ffee00c0ffee00' }),
  code({ id: 2, name: '$10.00', status: 2 }),
  code({ id: 1, name: '老用户回馈', status: 3, redeemed_time: now - 3600, used_user_id: 7 }),
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

export const inviteInfo: InviteInfo = {
  code: 'Ab3d',
  path: '/register?aff=Ab3d',
  count: 2,
  quota: 1_500_000,
  history_quota: 4_000_000,
  waiting_quota: 250_000,
  inviter_reward: 500_000,
  invitee_reward: 250_000,
  rebate_percent: 5,
};
export const inviteRecords: InviteRecord[] = [
  { id: 2, username: 'z***i', created_time: now - 4000, paid_quota: 500_000, waiting_quota: 0 },
  { id: 1, username: 'w***g', created_time: now - 90_000, paid_quota: 0, waiting_quota: 250_000 },
];
