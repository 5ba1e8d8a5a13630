import { useQuery } from '@tanstack/react-query';
import type { InboxEntry } from '@tollgate/contract';
import { CircleCheck, Inbox, Receipt } from 'lucide-react';
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
import type { ListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { EntryDetail, entryColumns, everyOrderColumns } from './columns.tsx';
import { inboxQuery, ordersQuery, unmatchedQuery } from './queries.ts';
import type { PaymentSearch } from './search.ts';

export interface ListProps {
  search: PaymentSearch;
  list: ListState;
  /** Takes all filters back; false where none is set. */
  clear: false | (() => void);
}

export function Orders({ search, list, clear }: ListProps) {
  const { username, trade, status, from, to } = search;
  const query = useQuery(ordersQuery({ username, trade, status, from, to }, list.page, list.size));
  return (
    <PagedTable
      label={payment_orders()}
      columns={everyOrderColumns}
      query={query}
      list={list}
      clear={clear}
      empty={<EmptyState icon={Receipt} title={payment_orders_empty()} text={payment_orders_empty_text()} />}
    />
  );
}

const entries = { columns: entryColumns, options: { detail: (entry: InboxEntry) => <EntryDetail entry={entry} /> } };

export function Notices({ search, list, clear }: ListProps) {
  const { verdict, provider } = search;
  const query = useQuery(inboxQuery({ verdict, provider }, list.page, list.size));
  const empty = <EmptyState icon={Inbox} title={payment_inbox_empty()} text={payment_inbox_empty_text()} />;
  return <PagedTable {...entries} label={payment_inbox()} query={query} list={list} clear={clear} empty={empty} />;
}

export function Unmatched({ list }: ListProps) {
  const query = useQuery(unmatchedQuery(list.page, list.size));
  const empty = <EmptyState icon={CircleCheck} title={payment_unmatched_empty()} text={payment_unmatched_empty_text()} />;
  return <PagedTable {...entries} label={payment_unmatched()} query={query} list={list} empty={empty} />;
}
