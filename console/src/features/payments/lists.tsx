import { useQuery } from '@tanstack/react-query';
import type { InboxEntry } from '@tollgate/contract';
import { CircleCheck, Inbox, Receipt } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Page } from '../../api/page.ts';
import {
  payment_inbox,
  payment_inbox_empty,
  payment_inbox_empty_text,
  payment_orders,
  payment_orders_empty,
  payment_orders_empty_text,
  payment_unmatched,
  payment_unmatched_empty,
  payment_unmatched_empty_text,
} from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { LoadState } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import type { ListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { EntryDetail, entryColumns, everyOrderColumns } from './columns.tsx';
import { inboxQuery, ordersQuery, unmatchedQuery } from './queries.ts';
import type { PaymentSearch } from './search.ts';

export interface ListProps {
  search: PaymentSearch;
  list: ListState;
  /** Takes all filters back. */
  clear(): void;
}

const detail = (entry: InboxEntry) => <EntryDetail entry={entry} />;

export function Orders({ search, list, clear }: ListProps) {
  const { username, trade, status } = search;
  const query = useQuery(ordersQuery({ username, trade, status }, list.page, list.size));
  const filtered = username !== undefined || trade !== undefined || status !== undefined || list.page > 1;
  return (
    <>
      <DataTable
        label={payment_orders()}
        columns={everyOrderColumns}
        rows={query.data?.items}
        state={query}
        size={list.size}
        empty={
          filtered ? (
            <NoMatch clear={clear} />
          ) : (
            <EmptyState icon={Receipt} title={payment_orders_empty()} text={payment_orders_empty_text()} />
          )
        }
      />
      {query.data && <Pager list={list} total={query.data.total} hasNext={query.data.hasNext} />}
    </>
  );
}

interface EntriesProps {
  label: string;
  list: ListState;
  query: LoadState & { data: Page<InboxEntry> | undefined };
  empty: ReactNode;
}

function Entries({ label, list, query, empty }: EntriesProps) {
  return (
    <>
      <DataTable
        label={label}
        columns={entryColumns}
        rows={query.data?.items}
        state={query}
        size={list.size}
        empty={empty}
        options={{ detail }}
      />
      {query.data && <Pager list={list} total={query.data.total} hasNext={query.data.hasNext} />}
    </>
  );
}

export function Notices({ search, list, clear }: ListProps) {
  const { verdict, provider } = search;
  const query = useQuery(inboxQuery({ verdict, provider }, list.page, list.size));
  const filtered = verdict !== undefined || provider !== undefined || list.page > 1;
  const nothing = <EmptyState icon={Inbox} title={payment_inbox_empty()} text={payment_inbox_empty_text()} />;
  return <Entries label={payment_inbox()} list={list} query={query} empty={filtered ? <NoMatch clear={clear} /> : nothing} />;
}

export function Unmatched({ list, clear }: ListProps) {
  const query = useQuery(unmatchedQuery(list.page, list.size));
  const nothing = <EmptyState icon={CircleCheck} title={payment_unmatched_empty()} text={payment_unmatched_empty_text()} />;
  const empty = list.page > 1 ? <NoMatch clear={clear} active={0} /> : nothing;
  return <Entries label={payment_unmatched()} list={list} query={query} empty={empty} />;
}
