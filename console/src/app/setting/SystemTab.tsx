import { OptionTab } from '../../features/settings/OptionTab.tsx';
import { TestMail } from '../../features/settings/TestMail.tsx';

const extras = { smtp: <TestMail /> };

/** Addresses, payment, the ways in, mail. */
export function SystemTab() {
  return <OptionTab tab="system" extras={extras} />;
}
