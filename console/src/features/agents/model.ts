import {
  type AgentEntry,
  type AgentSelf,
  type AgentStatus,
  type AgentWithdrawal,
  agentStatus,
  type DividendStatus,
  dividendStatus,
  type EarningsDay,
  type PayoutMethod,
  role,
  type WithdrawalAction,
  type WithdrawalStatus,
  withdrawalStatus,
} from '@tollgate/contract';
import type { Session } from '../../api/session.ts';
import {
  agent_dividend_settled,
  agent_method_alipay,
  agent_method_bank,
  agent_method_quota,
  agent_method_wxpay,
  agent_pending,
  agent_reversed,
  agent_state_active,
  agent_state_applied,
  agent_state_rejected,
  agent_state_suspended,
  agent_withdrawal_cancelled,
  agent_withdrawal_paid,
  agent_withdrawal_pending,
  agent_withdrawal_processing,
  agent_withdrawal_rejected,
} from '../../i18n/generated/messages.ts';
import { languageTag } from '../../i18n/language.ts';
import { plainDigits } from '../../lib/money.ts';
import { formatTime } from '../../lib/time.ts';
import type { Tone } from '../../ui/Badge.tsx';
import { centsText } from '../../ui/payment/order.ts';

export interface Face {
  text(): string;
  tone: Tone;
}

export const isAgent = ({ status }: Pick<AgentSelf, 'status'>): boolean =>
  status === agentStatus.active || status === agentStatus.suspended;

/** Words and colours of states; a newer server may know others. */
export const agentFaces: Record<AgentStatus, Face> = {
  [agentStatus.applied]: { text: agent_state_applied, tone: 'warn' },
  [agentStatus.active]: { text: agent_state_active, tone: 'ok' },
  [agentStatus.rejected]: { text: agent_state_rejected, tone: 'bad' },
  [agentStatus.suspended]: { text: agent_state_suspended, tone: 'grey' },
};
export const dividendFaces: Record<DividendStatus, Face> = {
  [dividendStatus.pending]: { text: agent_pending, tone: 'warn' },
  [dividendStatus.settled]: { text: agent_dividend_settled, tone: 'ok' },
  [dividendStatus.reversed]: { text: agent_reversed, tone: 'grey' },
};
export const withdrawalFaces: Record<WithdrawalStatus, Face> = {
  [withdrawalStatus.pending]: { text: agent_withdrawal_pending, tone: 'warn' },
  [withdrawalStatus.processing]: { text: agent_withdrawal_processing, tone: 'info' },
  [withdrawalStatus.paid]: { text: agent_withdrawal_paid, tone: 'ok' },
  [withdrawalStatus.rejected]: { text: agent_withdrawal_rejected, tone: 'bad' },
  [withdrawalStatus.cancelled]: { text: agent_withdrawal_cancelled, tone: 'grey' },
};
export const methodNames: Record<PayoutMethod, () => string> = {
  alipay: agent_method_alipay,
  wxpay: agent_method_wxpay,
  bank: agent_method_bank,
  quota: agent_method_quota,
};

/** Amounts of agents are cents of what payments are made in (contract 9.2). */
export const money = (cents: number): string => centsText(cents, 'cny');

/** The same for an axis: as short as it can be, `¥20`, `¥1.5万`. */
export function shortMoney(cents: number): string {
  const options = { style: 'currency', currency: 'cny', notation: 'compact' } as const;
  return new Intl.NumberFormat(languageTag(), { ...options, minimumFractionDigits: 0, maximumFractionDigits: 2 }).format(
    cents / 100,
  );
}

/** 0.125 -> "12.5%". */
export const rateText = (rate: number): string => `${rateInput(rate)}%`;

/** 0.125 -> "12.5": percent, as it is typed. */
export const rateInput = (rate: number): string => String(Number((rate * 100).toFixed(4)));

/** "12.5" -> 0.125: percent with at most four decimals; undefined for what is none, or more than all. */
export function parseRate(text: string): number | undefined {
  const match = /^(\d{1,3})(?:\.(\d{0,4}))?\s*%?$/.exec(plainDigits(text));
  if (!match) return undefined;
  const millionths = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'));
  return millionths <= 1_000_000 ? millionths / 1_000_000 : undefined;
}

/** What this administrator can do about a withdrawal now; the server decides. What another one claimed is theirs and root's. */
export function actionsFor(session: Pick<Session, 'id' | 'role'> | undefined, row: AgentWithdrawal): WithdrawalAction[] {
  if (row.status === withdrawalStatus.pending) return ['claim', 'pay', 'reject'];
  if (row.status !== withdrawalStatus.processing || !session) return [];
  return session.id === row.reviewer_id || session.role === role.root ? ['pay', 'reject', 'release'] : [];
}

export const nameOf = ({ username, user_id }: Pick<AgentEntry, 'username' | 'user_id'>): string => username || `#${user_id}`;

/** The sum of the days, for the line above the bars. */
export const totalOf = (days: readonly EarningsDay[], metric: Exclude<keyof EarningsDay, 'time'>): number =>
  days.reduce((sum, day) => sum + day[metric], 0);

const halfDay = 43_200;
/** The date of a day of earnings, as its noon has it: where clocks were changed since the first one, days begin an hour off midnight. */
export const dateOf = ({ time }: Pick<EarningsDay, 'time'>): string => formatTime(time + halfDay).slice(0, 10);
