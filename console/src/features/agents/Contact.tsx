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
import { FactList } from '../../ui/FactList.tsx';
import { Time } from '../../ui/Time.tsx';

type Told = Pick<AgentSelf, 'contact_name' | 'contact_phone' | 'contact_email' | 'remark' | 'created_at'>;

/** What an agent told about themselves. */
export function ContactList({ told }: { told: Told }) {
  const lines = [
    { label: agent_contact_name(), value: told.contact_name },
    { label: agent_contact_phone(), value: told.contact_phone },
    { label: agent_contact_email(), value: told.contact_email },
    { label: agent_contact_remark(), value: told.remark },
    { label: agent_applied_at(), value: <Time seconds={told.created_at} /> },
  ];
  return <FactList lines={lines} />;
}

export function Contact({ self }: { self: AgentSelf }) {
  return (
    <Card title={agent_contact()}>
      <ContactList told={self} />
    </Card>
  );
}
