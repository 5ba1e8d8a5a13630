import { useQuery } from '@tanstack/react-query';
import type { AgentCustomer } from '@tollgate/contract';
import { Users } from 'lucide-react';
import {
  agent_customer,
  agent_customer_dividend,
  agent_customer_paid,
  agent_customers,
  agent_customers_empty,
  agent_customers_empty_text,
  wallet_aff_time,
} from '../../i18n/generated/messages.ts';
import type { ListSearch } from '../../lib/list-search.ts';
import { CsvButton } from '../../ui/download/CsvButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { MaskedName } from '../../ui/MaskedName.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { money } from './model.ts';
import { customersQuery, exportAddress } from './queries.ts';

const columns: readonly Column<AgentCustomer>[] = [
  {
    id: 'user',
    header: agent_customer,
    fill: true,
    card: 'title',
    cell: (row) => <MaskedName name={row.username} id={row.id} />,
  },
  { id: 'created', header: wallet_aff_time, cell: (row) => <Time seconds={row.created_at} /> },
  { id: 'paid', header: agent_customer_paid, end: true, cell: (row) => money(row.topup_money) },
  { id: 'dividend', header: agent_customer_dividend, end: true, cell: (row) => money(row.dividend) },
];

interface Props {
  search: ListSearch;
  change(next: ListSearch): void;
}

/** Who came by the agent's link. Names are masked by the server. */
export function Customers({ search, change }: Props) {
  const list = useListState('agent-customers', search, change);
  const query = useQuery(customersQuery(list.page, list.size));
  return (
    <section>
      <div className="mb-2 flex items-center justify-between gap-2">
        <h2 className="text-base">{agent_customers()}</h2>
        <CsvButton address={exportAddress.customers()} name="customers.csv" />
      </div>
      <PagedTable
        label={agent_customers()}
        columns={columns}
        query={query}
        list={list}
        empty={<EmptyState icon={Users} title={agent_customers_empty()} text={agent_customers_empty_text()} />}
      />
    </section>
  );
}
