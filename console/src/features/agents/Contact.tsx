import type { AgentSelf } from '@tollgate/contract';
import {
  agent_applied_at,
  agent_contact,
  agent_contact_email,
  agent_contact_name,
  agent_contact_phone,
  agent_contact_remark,
} from '../../i18n/generated/messages.ts';
import { Card } from '../../ui/Card.tsx';
import { Time } from '../../ui/Time.tsx';

type Told = Pick<AgentSelf, 'contact_name' | 'contact_phone' | 'contact_email' | 'remark' | 'created_at'>;

/** What an agent told about themselves. */
export function ContactList({ told }: { told: Told }) {
  const lines = [
    { label: agent_contact_name(), value: told.contact_name },
    { label: agent_contact_phone(), value: told.contact_phone },
    { label: agent_contact_email(), value: told.contact_email },
    { label: agent_contact_remark(), value: told.remark },
  ].filter(({ value }) => value !== '');
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-1.5">
      {lines.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 whitespace-pre-wrap break-words">{value}</dd>
        </div>
      ))}
      <dt className="text-muted">{agent_applied_at()}</dt>
      <dd>
        <Time seconds={told.created_at} />
      </dd>
    </dl>
  );
}

export function Contact({ self }: { self: AgentSelf }) {
  return (
    <Card title={agent_contact()}>
      <ContactList told={self} />
    </Card>
  );
}
