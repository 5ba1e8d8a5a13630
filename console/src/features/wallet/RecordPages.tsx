import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type LucideIcon, Receipt, RefreshCw, Users, Wallet } from 'lucide-react';
import type { Page } from '../../api/page.ts';
import {
  action_refresh,
  nav_wallet,
  wallet_aff_empty,
  wallet_aff_empty_text,
  wallet_aff_records,
  wallet_order_empty,
  wallet_order_empty_text,
  wallet_records,
} from '../../i18n/generated/messages.ts';
import { buttonClass, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import type { Column, LoadState } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { type ListState, useListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { inviteRecordsQuery, ordersQuery } from './queries.ts';
import { inviteColumns, orderColumns } from './records.tsx';

const ordersRoute = getRouteApi('/_console/topup/records');
const invitesRoute = getRouteApi('/_console/aff/records');

interface Query<Row> extends LoadState {
  data: Page<Row> | undefined;
}

interface Props<Row extends { id: number }> {
  title: string;
  columns: readonly Column<Row>[];
  list: ListState;
  query: Query<Row>;
  empty: { icon: LucideIcon; title: string; text: string };
}

function Records<Row extends { id: number }>({ title, columns, list, query, empty }: Props<Row>) {
  return (
    <>
      <PageHeader title={title}>
        <IconButton icon={RefreshCw} label={action_refresh()} onClick={() => void query.refetch()} />
        <Link to="/topup" className={`${buttonClass('default')} no-underline`}>
          <Wallet size={15} aria-hidden />
          {nav_wallet()}
        </Link>
      </PageHeader>
      <DataTable
        label={title}
        columns={columns}
        rows={query.data?.items}
        state={query}
        size={list.size}
        empty={<EmptyState icon={empty.icon} title={empty.title} text={empty.text} />}
      />
      {query.data && <Pager list={list} total={query.data.total} hasNext={query.data.hasNext} />}
    </>
  );
}

/** /topup/records: the own orders. */
export function OrdersPage() {
  const search = ordersRoute.useSearch();
  const navigate = ordersRoute.useNavigate();
  const list = useListState('topup', search, (next) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) }));
  const query = useQuery(ordersQuery(list.page, list.size));
  const empty = { icon: Receipt, title: wallet_order_empty(), text: wallet_order_empty_text() };
  return <Records title={wallet_records()} columns={orderColumns} list={list} query={query} empty={empty} />;
}

/** /aff/records: who came by the own link, and what that brought. */
export function InvitesPage() {
  const search = invitesRoute.useSearch();
  const navigate = invitesRoute.useNavigate();
  const list = useListState('aff', search, (next) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) }));
  const query = useQuery(inviteRecordsQuery(list.page, list.size));
  const empty = { icon: Users, title: wallet_aff_empty(), text: wallet_aff_empty_text() };
  return <Records title={wallet_aff_records()} columns={inviteColumns} list={list} query={query} empty={empty} />;
}
