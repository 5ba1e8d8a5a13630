import { Link } from '@tanstack/react-router';
import type { AgentSelf } from '@tollgate/contract';
import {
  agent_balance,
  agent_customers,
  agent_customers_today,
  agent_earned_total,
  agent_fee,
  agent_mature_days,
  agent_min,
  agent_open_count,
  agent_pending,
  agent_rate,
  agent_reversed,
  agent_topup_total,
  agent_withdrawing,
  agent_withdrawn_total,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Figures, Stat } from './Figures.tsx';
import { money, rateText } from './model.ts';

const link = 'min-h-6 text-fg decoration-dotted underline-offset-4 hover:underline';

/** Where the agent's money is, and what it comes from; the numbers lead to their rows. */
export function Money({ self }: { self: AgentSelf }) {
  const { terms } = self;
  const fee = terms.fee_rate > 0 ? agent_fee({ rate: rateText(terms.fee_rate) }) : '';
  return (
    <Figures>
      <Stat label={agent_balance()} more={[agent_min({ amount: money(terms.min_withdraw) }), fee].filter(Boolean).join(' · ')}>
        <span className={self.balance < 0 ? 'text-bad' : ''}>{money(self.balance)}</span>
      </Stat>
      <Stat label={agent_pending()} more={agent_mature_days({ days: terms.mature_days })}>
        <Link to="/agent/dividends" search={{ status: 0 }} className={link}>
          {money(self.pending)}
        </Link>
      </Stat>
      <Stat label={agent_withdrawing()} more={terms.open > 0 ? agent_open_count({ count: terms.open }) : undefined}>
        <Link to="/agent/withdrawals" search={{}} className={link}>
          {money(self.withdrawing)}
        </Link>
      </Stat>
      <Stat label={agent_withdrawn_total()}>
        <Link to="/agent/withdrawals" search={{ status: 2 }} className={link}>
          {money(self.total_withdrawn)}
        </Link>
      </Stat>
      <Stat label={agent_earned_total()} more={self.total_reversed > 0 && `${agent_reversed()} ${money(self.total_reversed)}`}>
        <Link to="/agent/dividends" search={{}} className={link}>
          {money(self.total_earned)}
        </Link>
      </Stat>
      <Stat label={agent_rate()}>{rateText(self.rate)}</Stat>
      <Stat label={agent_customers()} more={self.today_customers > 0 && agent_customers_today({ count: self.today_customers })}>
        {formatUnits(self.customers)}
      </Stat>
      <Stat label={agent_topup_total()}>{money(self.topup_total)}</Stat>
    </Figures>
  );
}
