import type {
  AgentCustomer,
  AgentDividend,
  AgentEntry,
  AgentSelf,
  AgentSummary,
  AgentWithdrawal,
  EarningsDay,
} from '@tollgate/contract';
import { now } from './fixtures.ts';

const day = 86_400;

const told = {
  contact_name: '李华',
  contact_phone: '13800000000',
  contact_email: 'lihua@example.com',
  remark: '面向高校实验室的推广，预计每月 30 位新客户。',
};
const holds = {
  balance: 123_456,
  pending: 45_600,
  withdrawing: 30_000,
  total_earned: 500_000,
  total_reversed: 944,
  total_withdrawn: 300_000,
};
const nothing = { balance: 0, pending: 0, withdrawing: 0, total_earned: 0, total_reversed: 0, total_withdrawn: 0 };

/** The own agency of somebody who works. */
export const agency: AgentSelf = {
  user_id: 7,
  status: 1,
  level: 1,
  commission_rate: null,
  rate: 0.1,
  ...told,
  review_note: '',
  created_at: now - 40 * day,
  updated_at: now - day,
  ...holds,
  customers: 38,
  today_customers: 2,
  topup_total: 5_000_000,
  invite_link: '/register?aff=Ab3d',
  terms: { currency: 'cny', min_withdraw: 10_000, fee_rate: 0.01, mature_days: 7, max_open: 2, open: 1 },
};
export const agencyOf = (fields: Partial<AgentSelf>): AgentSelf => ({ ...agency, ...fields });

export const customers: AgentCustomer[] = Array.from({ length: 12 }, (_, index) => ({
  id: 60 - index,
  username: ['a***e', 'w***g', 'z***i', 'l***n'][index % 4] ?? '',
  created_at: now - index * 90_000,
  topup_money: (index * 7300) % 40_000,
  dividend: (index * 730) % 4000,
}));

const dividend = (fields: Partial<AgentDividend>): AgentDividend => ({
  id: 0,
  agent_id: 7,
  agent: '',
  user_id: 31,
  username: 'w***g',
  topup_id: 3,
  trade_no: '',
  topup_money: 7300,
  rate: 0.1,
  amount: 730,
  reversed: 0,
  status: 0,
  mature_at: now + 5 * day,
  settled_at: 0,
  created_at: now - 2 * day,
  ...fields,
});
export const dividends: AgentDividend[] = [
  dividend({ id: 4 }),
  dividend({
    id: 3,
    username: 'z***i',
    topup_money: 73_000,
    amount: 7300,
    status: 1,
    settled_at: now - day,
    created_at: now - 8 * day,
  }),
  dividend({ id: 2, status: 2, reversed: 730, created_at: now - 9 * day, settled_at: now - 2 * day }),
  dividend({ id: 1, status: 1, reversed: 214, topup_id: 0, created_at: now - 20 * day, settled_at: now - 13 * day }),
];
export const everyDividend: AgentDividend[] = dividends.map((row, index) => ({
  ...row,
  agent: index % 2 ? 'zhangwei' : 'lihua',
  agent_id: index % 2 ? 9 : 7,
  username: 'wangfang',
  trade_no: row.topup_id === 0 ? '' : 'USR31NOa1b2c31795195800',
}));

const withdrawal = (fields: Partial<AgentWithdrawal>): AgentWithdrawal => ({
  id: 0,
  agent_id: 7,
  agent: '',
  amount: 30_000,
  fee: 300,
  net: 29_700,
  method: 'alipay',
  payee_name: '李华',
  payee_account: 'lihua@example.com',
  bank_name: '',
  quota: 0,
  status: 1,
  reference: '',
  reject_reason: '',
  reviewer_id: 0,
  reviewer: '',
  remark: '',
  created_at: now - 3600,
  updated_at: now - 3600,
  finished_at: 0,
  ...fields,
});
export const withdrawals: AgentWithdrawal[] = [
  withdrawal({ id: 5 }),
  withdrawal({
    ...{ id: 4, status: 2, method: 'bank', bank_name: '工商银行海淀支行', payee_account: '6222 0000 0000 0000' },
    ...{ reference: '2026111912345678', finished_at: now - day, remark: '请在月底前打款' },
  }),
  withdrawal({ id: 3, status: 3, reject_reason: '账号与姓名不符', finished_at: now - 3 * day }),
  withdrawal({
    ...{ id: 2, status: 2, method: 'quota', payee_name: '', payee_account: '', fee: 0, net: 30_000 },
    ...{ quota: 20_547_945, finished_at: now - 4 * day },
  }),
  withdrawal({ id: 1, status: 5, method: 'wxpay', finished_at: now - 5 * day }),
];
export const everyWithdrawal: AgentWithdrawal[] = [
  withdrawal({ id: 9, agent: 'lihua' }),
  withdrawal({ id: 8, agent: 'zhangwei', agent_id: 9, status: 4, reviewer_id: 1, reviewer: 'root', payee_name: '张伟' }),
  withdrawal({ id: 7, agent: 'zhangwei', agent_id: 9, status: 4, reviewer_id: 2, reviewer: 'clerk', payee_name: '张伟' }),
  ...withdrawals.slice(1).map((row) => ({ ...row, agent: 'lihua', reviewer_id: 1, reviewer: 'root' })),
];

/** The last `count` days. */
export const earningsOf = (count: number): EarningsDay[] => {
  const midnight = new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
  return Array.from({ length: count }, (_, index) => {
    const busy = index % 7 > 1;
    return {
      time: midnight - (count - 1 - index) * day,
      earned: busy ? 730 * ((index * 5) % 9) : 0,
      matured: busy ? 365 * ((index * 3) % 11) : 0,
      reversed: index % 13 === 5 ? 730 : 0,
      withdrawn: index % 10 === 9 ? 30_000 : 0,
      orders: busy ? (index * 5) % 9 : 0,
      customers: index % 3,
    };
  });
};

const entry = (fields: Partial<AgentEntry>): AgentEntry => ({
  user_id: 7,
  username: 'lihua',
  display_name: '李华',
  status: 1,
  level: 1,
  commission_rate: null,
  rate: 0.1,
  ...told,
  review_note: '',
  created_at: now - 40 * day,
  updated_at: now - day,
  ...holds,
  customers: 38,
  topup_total: 5_000_000,
  reviewer_id: 1,
  reviewer: 'root',
  ...fields,
});
export const agents: AgentEntry[] = [
  entry({
    user_id: 12,
    username: 'wangfang',
    contact_name: '王芳',
    status: 0,
    ...nothing,
    customers: 0,
    topup_total: 0,
    reviewer_id: 0,
    reviewer: '',
  }),
  entry({
    user_id: 9,
    username: 'zhangwei',
    contact_name: '张伟',
    commission_rate: 0.125,
    rate: 0.125,
    level: 2,
    balance: -1200,
  }),
  entry({}),
  entry({ user_id: 5, username: 'zhaomin', contact_name: '赵敏', status: 3, review_note: '合作到期' }),
  entry({
    user_id: 4,
    username: 'sunli',
    contact_name: '孙丽',
    status: 2,
    review_note: '资料不完整',
    ...nothing,
    customers: 0,
    topup_total: 0,
  }),
];
export const agentSummary: AgentSummary = { ...holds, balance: 245_712, active: 2, applied: 1, open_withdrawals: 3 };
