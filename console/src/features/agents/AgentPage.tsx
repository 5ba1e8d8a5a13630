import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AgentSelf, agentStatus } from '@tollgate/contract';
import { Handshake } from 'lucide-react';
import { ownAgencyQuery } from '../../api/agent.ts';
import { useStatus } from '../../api/status.ts';
import {
  agent_applied_text,
  agent_applied_title,
  agent_apply_closed,
  agent_apply_closed_text,
  agent_rejected_text,
  nav_agent,
  nav_statement,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { StatusDot } from '../../ui/Badge.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { part } from '../../ui/part.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { Contact } from './Contact.tsx';
import { Figures } from './Figures.tsx';
import { MoneyButtons } from './MoneyButtons.tsx';
import { agentFaces, isAgent } from './model.ts';

const ApplyCard = part(
  () => import('./ApplyCard.tsx'),
  'ApplyCard',
  () => <Waiting />,
);
const Office = part(
  () => import('./Office.tsx'),
  'Office',
  () => <Waiting />,
);

/** /agent: the own agency; for everybody else the way to one. */
export function AgentPage() {
  const query = useQuery({ ...ownAgencyQuery, refetchOnWindowFocus: 'always' });
  const self = query.data;
  const face = self && agentFaces[self.status];
  return (
    <>
      <PageHeader title={nav_agent()} aside={face && <StatusDot tone={face.tone}>{face.text()}</StatusDot>}>
        {(self === undefined ? !query.error : self && isAgent(self)) && (
          <>
            <Link to="/topup/statement" search={{ agency: 1 }} className={buttonClass()}>
              {nav_statement()}
            </Link>
            <MoneyButtons self={self ?? undefined} />
          </>
        )}
        <RefreshButton onClick={() => void query.refetch()} />
      </PageHeader>
      {self !== undefined ? (
        <Agency self={self} />
      ) : query.error ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : (
        <Waiting />
      )}
    </>
  );
}

function Agency({ self }: { self: AgentSelf | null }) {
  const status = useStatus();
  const open = status?.agent_apply_enabled !== false;
  if (self && isAgent(self)) {
    return <Office self={self} />;
  }
  if (self?.status === agentStatus.applied) {
    return (
      <div className="flex max-w-2xl flex-col gap-3">
        <Alert tone="info">
          <p className="font-medium">{agent_applied_title()}</p>
          <p>{agent_applied_text()}</p>
        </Alert>
        <Contact self={self} />
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      {self && (
        <div className="max-w-2xl">
          <Alert tone="warn">{agent_rejected_text({ reason: self.review_note || '–' })}</Alert>
        </div>
      )}
      {open ? (
        <ApplyCard before={self ?? undefined} />
      ) : (
        <EmptyState icon={Handshake} title={agent_apply_closed()} text={agent_apply_closed_text()} />
      )}
    </div>
  );
}

/** The place of an agent's numbers while they are read. */
function Waiting() {
  return (
    <div aria-busy>
      <Figures>
        {Array.from({ length: 8 }, (_, index) => index).map((index) => (
          <div key={index} className="card h-23 px-4 py-3 max-sm:h-20">
            <dt className="skeleton w-20" />
            <dd className="skeleton mt-2 block w-28" />
          </div>
        ))}
      </Figures>
      <div className="card h-90 max-sm:h-115" />
    </div>
  );
}
