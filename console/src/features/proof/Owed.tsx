import { useQuery } from '@tanstack/react-query';
import type { LedgerState } from '@tollgate/contract';
import type { ReactNode } from 'react';
import {
  owed_affiliate,
  owed_agents,
  owed_available,
  owed_codes,
  owed_sources,
  owed_text,
  owed_title,
  source_adjust,
  source_grant,
  source_invite,
  source_opening,
  source_payment,
  source_redeem,
  wallet_held,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Card } from '../../ui/Card.tsx';
import { Figure } from '../../ui/Figure.tsx';
import { Unread } from '../../ui/LoadError.tsx';
import { centsText } from '../../ui/payment/order.ts';
import { Quota } from '../../ui/Quota.tsx';
import { sourcesQuery } from './queries.ts';

const names: Readonly<Record<string, () => string>> = {
  payment: source_payment,
  redeem: source_redeem,
  grant: source_grant,
  invite: source_invite,
  adjust: source_adjust,
  opening: source_opening,
};

const Waiting = () => <span className="skeleton inline-block h-4 w-16 align-middle" />;
const Figures = ({ children }: { children: ReactNode }) => <dl className="grid grid-cols-2 gap-2 sm:grid-cols-3">{children}</dl>;

/** What users can still spend of what they were given, and where that came from. */
export function Owed({ state }: { state: LedgerState }) {
  const query = useQuery(sourcesQuery);
  const { data, isPending } = query;
  return (
    <Card title={owed_title()} text={owed_text()}>
      <Figures>
        <Figure label={owed_available({ users: formatUnits(state.users) })}>
          <Quota value={state.available} />
        </Figure>
        <Figure label={wallet_held()}>
          <Quota value={state.held} />
        </Figure>
        <Figure label={owed_codes({ count: formatUnits(state.codes) })}>
          <Quota value={state.codes_quota} />
        </Figure>
        {(isPending || data) && (
          <>
            <Figure label={owed_affiliate()}>{data ? <Quota value={data.affiliate} /> : <Waiting />}</Figure>
            <Figure label={owed_agents()}>{data ? centsText(data.agents, 'cny') : <Waiting />}</Figure>
          </>
        )}
      </Figures>
      <Unread query={query} />
      {data && data.sources.length > 0 && (
        <>
          <h3 className="mt-4 mb-2 text-muted text-xs">{owed_sources()}</h3>
          <Figures>
            {data.sources.map(({ account, amount }) => (
              <Figure key={account} label={names[account]?.() ?? account}>
                <Quota value={amount} />
              </Figure>
            ))}
          </Figures>
        </>
      )}
    </Card>
  );
}
