import type { AgentStatement, Statement } from '@tollgate/contract';
import {
  nav_agent_dividends,
  nav_agent_withdrawals,
  nav_redemption,
  statement_adjust,
  statement_closing,
  statement_give_back,
  statement_opening,
  statement_payment,
  statement_refund,
  statement_rewards,
} from '../../i18n/generated/messages.ts';

const kinds: Readonly<Record<string, () => string>> = {
  payment: statement_payment,
  redeem: nav_redemption,
  adjust: statement_adjust,
  give_back: statement_give_back,
  refund: statement_refund,
  opening: statement_opening,
  dividend: nav_agent_dividends,
  withdrawal: nav_agent_withdrawals,
};

export interface StatementLine {
  name: string;
  calls?: number;
  prompt_tokens?: number;
  completion_tokens?: number;
  /** That of the last line is what the others add up to. */
  amount: number;
}

/** From the opening balance to the closing one. */
export const linesOf = ({
  opening,
  movements,
  charges,
  closing,
}: AgentStatement & Partial<Pick<Statement, 'charges'>>): StatementLine[] => [
  { name: statement_opening(), amount: opening },
  // Gifts and what was earned by bringing others have one name.
  ...movements.map(({ kind, count, amount }) => ({
    name: (kinds[kind] ?? statement_rewards)(),
    calls: count,
    amount,
  })),
  // Without names: the many that are put together.
  ...(charges ?? []).map(({ model, token, quota, ...charge }) => ({
    ...charge,
    name: `${model || '…'} · ${token}`,
    amount: -quota,
  })),
  { name: statement_closing(), amount: closing },
];

const shownMonths = 24;

/** This month and those before it, by the reader's clock; and the one that is shown, which may be older. */
export function monthChoices(shown: string, now = new Date()): string[] {
  const months = Array.from({ length: shownMonths }, (_, ago) => monthOf(new Date(now.getFullYear(), now.getMonth() - ago)));
  return [...new Set([...months, shown])];
}

export const monthOf = (date: Date): string => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
