import type { AgentStatus, DividendStatus, PayoutMethod, WithdrawalStatus } from './agent-states.ts';

/**
 * Agents bring customers and get a share of what these pay (contract 9). All money here is whole cents of the currency
 * that payments are made in (`cny`); times are Unix seconds, 0 = not yet; rates are numbers between 0 and 1.
 */

/** What an agent's accounts hold. Always: earned = pending + balance + withdrawing + withdrawn + reversed. */
export interface AgentMoney {
  /** May be withdrawn; below 0 after a customer's order was taken back. */
  balance: number;
  /** Dividends that still mature. */
  pending: number;
  /** In open withdrawals. */
  withdrawing: number;
  total_earned: number;
  /** Taken back with their orders. */
  total_reversed: number;
  /** Paid out or turned into quota, fees included. */
  total_withdrawn: number;
}

interface Agent extends AgentMoney {
  user_id: number;
  status: AgentStatus;
  /** The operator's own label, 1 unless changed. */
  level: number;
  /** null = the site's rate. */
  commission_rate: number | null;
  /** The rate that counts: the agent's own or the site's. */
  rate: number;
  contact_name: string;
  contact_phone: string;
  contact_email: string;
  remark: string;
  /** What the reviewer says to the agent. */
  review_note: string;
  created_at: number;
  updated_at: number;
}

/** GET /api/agent/self: the caller's own agency. */
export interface AgentSelf extends Agent {
  /** Users who came by the agent's link. */
  customers: number;
  today_customers: number;
  /** What they paid and did not get back. */
  topup_total: number;
  /** Absolute where the site knows its address, otherwise `/register?aff=...`. */
  invite_link: string;
  terms: AgentTerms;
}

/** What holds for withdrawals and dividends. */
export interface AgentTerms {
  /** Lower case, such as `cny`. */
  currency: string;
  min_withdraw: number;
  fee_rate: number;
  mature_days: number;
  /** Open withdrawals at once, and how many there are. */
  max_open: number;
  open: number;
}

/** One row of the administrators' list. */
export interface AgentEntry extends Agent {
  username: string;
  display_name: string;
  customers: number;
  topup_total: number;
  reviewer_id: number;
  /** "" = nobody yet. */
  reviewer: string;
}

/** A user who came by the agent's link. */
export interface AgentCustomer {
  id: number;
  /** Masked: `a***e`. */
  username: string;
  created_at: number;
  topup_money: number;
  /** What these payments brought the agent, less what was taken back. */
  dividend: number;
}

/** The agent's share of one payment. */
export interface AgentDividend {
  id: number;
  agent_id: number;
  /** Name of the agent; "" in one's own list. */
  agent: string;
  /** The customer; the name is masked except for administrators. */
  user_id: number;
  username: string;
  topup_id: number;
  /** "" in one's own list. */
  trade_no: string;
  topup_money: number;
  rate: number;
  amount: number;
  /** Taken back of `amount`; all of it makes the status `reversed`. */
  reversed: number;
  status: DividendStatus;
  mature_at: number;
  settled_at: number;
  created_at: number;
}

export interface AgentWithdrawal {
  id: number;
  agent_id: number;
  /** Name of the agent; "" in one's own list. */
  agent: string;
  /** Leaves the balance. */
  amount: number;
  fee: number;
  /** Is paid out: amount - fee. */
  net: number;
  method: PayoutMethod;
  payee_name: string;
  payee_account: string;
  bank_name: string;
  /** What was credited, for method `quota`; otherwise 0. */
  quota: number;
  status: WithdrawalStatus;
  /** Of the payout. */
  reference: string;
  reject_reason: string;
  /** Who claimed or closed it; 0 and "" in one's own list and while nobody did. */
  reviewer_id: number;
  reviewer: string;
  remark: string;
  created_at: number;
  updated_at: number;
  /** Paid, rejected or cancelled. */
  finished_at: number;
}

/** What a withdrawal would bring. */
export interface WithdrawalQuote {
  amount: number;
  fee: number;
  net: number;
  /** For method `quota`; otherwise 0. */
  quota: number;
}

/** One day of earnings. Days without any are there, too. */
export interface EarningsDay {
  /** When the day begins where the reader is. */
  time: number;
  /** New dividends, what of them became withdrawable, what was taken back, what was paid out. */
  earned: number;
  matured: number;
  reversed: number;
  withdrawn: number;
  /** Payments that brought a dividend, and users who came; 0 in everybody's series. */
  orders: number;
  customers: number;
}

/** Above the administrators' lists. */
export interface AgentSummary extends AgentMoney {
  active: number;
  /** Wait for a review. */
  applied: number;
  open_withdrawals: number;
}
