import { getRouteApi } from '@tanstack/react-router';
import { type AgentSelf, agentStatus } from '@tollgate/contract';
import { agent_negative, agent_suspended_text } from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Contact } from './Contact.tsx';
import { Customers } from './Customers.tsx';
import { Earnings } from './Earnings.tsx';
import { LinkCard } from './LinkCard.tsx';
import { Money } from './Money.tsx';
import type { AgentSearch } from './search.ts';

const route = getRouteApi('/_console/agent');

/** What a working agent sees. */
export function Office({ self }: { self: AgentSelf }) {
  const search: AgentSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: AgentSearch) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true, resetScroll: false });
  return (
    <>
      {self.status === agentStatus.suspended && (
        <div className="mb-3">
          <Alert tone="warn">{agent_suspended_text()}</Alert>
        </div>
      )}
      {self.balance < 0 && (
        <div className="mb-3">
          <Alert tone="warn">{agent_negative()}</Alert>
        </div>
      )}
      <Money self={self} />
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,340px)] items-start gap-3 max-lg:flex max-lg:flex-col max-lg:items-stretch">
        <div className="flex min-w-0 flex-col gap-3">
          <Earnings search={search} change={change} />
          <Customers search={search} change={change} />
        </div>
        {/* On narrow screens the link comes first, the rest last. */}
        <div className="flex min-w-0 flex-col gap-3 max-lg:contents">
          {self.status === agentStatus.active && (
            <div className="max-lg:order-first">
              <LinkCard link={self.invite_link} />
            </div>
          )}
          <Contact self={self} />
        </div>
      </div>
    </>
  );
}
