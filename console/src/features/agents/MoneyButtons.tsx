import { type AgentSelf, agentStatus } from '@tollgate/contract';
import { Banknote, Wallet } from 'lucide-react';
import { useState } from 'react';
import { agent_convert, agent_withdraw, agent_withdraw_open } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { part } from '../../ui/part.tsx';

const WithdrawDialog = part(() => import('./WithdrawDialog.tsx'), 'WithdrawDialog');

interface Props {
  self: AgentSelf | undefined;
  /** Only what goes elsewhere. */
  payoutOnly?: boolean;
}

/** Takes money out of the agent's balance: elsewhere, or into the own account here. In place before the agency is known. */
export function MoneyButtons({ self, payoutOnly = false }: Props) {
  const [open, setOpen] = useState<'payout' | 'convert'>();
  const may = self !== undefined && self.status === agentStatus.active && self.balance > 0;
  const full = self !== undefined && self.terms.open >= self.terms.max_open;
  return (
    <>
      {!payoutOnly && (
        <Button icon={Wallet} disabled={!may} onClick={() => setOpen('convert')}>
          {agent_convert()}
        </Button>
      )}
      <Button
        icon={Banknote}
        tone="primary"
        disabled={!may || full}
        data-tip={full ? agent_withdraw_open() : undefined}
        onClick={() => setOpen('payout')}
      >
        {agent_withdraw()}
      </Button>
      {open && self && <WithdrawDialog kind={open} self={self} onClose={() => setOpen(undefined)} />}
    </>
  );
}
