import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isRoot, useSession } from '../../api/session.ts';
import {
  nav_payment,
  payment_inbox,
  payment_orders,
  payment_unmatched,
  payment_unmatched_count,
  payment_unmatched_text,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { CsvButton } from '../../ui/download/CsvButton.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { Tabs, tabProps } from '../../ui/Tabs.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { InboxFilters, OrderFilters } from './filters.tsx';
import { Notices, Orders, Unmatched } from './lists.tsx';
import { ordersAddress, unmatchedQuery } from './queries.ts';
import { type PaymentSearch, type PaymentTab, paymentTabs } from './search.ts';

const route = getRouteApi('/_console/_admin/payment');
const none = {
  ...{ username: undefined, trade: undefined, status: undefined, from: undefined, to: undefined },
  ...{ verdict: undefined, provider: undefined },
};

function Parts({ open }: { open: PaymentTab }) {
  const waiting = useQuery(unmatchedQuery(1, 1)).data?.total ?? 0;
  const names: Record<PaymentTab, string> = {
    orders: payment_orders(),
    unmatched: waiting > 0 ? payment_unmatched_count({ count: waiting }) : payment_unmatched(),
    inbox: payment_inbox(),
  };
  return (
    <Tabs label={nav_payment()}>
      {paymentTabs.map((tab) => (
        <Link key={tab} to="/payment" search={{ tab }} {...tabProps(tab === open)}>
          {names[tab]}
        </Link>
      ))}
    </Tabs>
  );
}

/** /payment: what everybody ordered; for root also what payment services said, and money that nobody was credited for. */
export function PaymentsPage() {
  const search: PaymentSearch = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const root = isRoot(useSession());
  const change = (next: PaymentSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('payment', search, change);
  const tab: PaymentTab = root ? (search.tab ?? 'orders') : 'orders';
  const filters = {
    orders: <OrderFilters search={search} change={change} />,
    inbox: <InboxFilters search={search} change={change} />,
    unmatched: undefined,
  }[tab];
  const active = Object.keys(none).filter((name) => name in search && search[name as keyof typeof none] !== undefined).length;
  const props = { search, list, clear: active > 0 && (() => change(none)) };
  return (
    <>
      <PageHeader title={nav_payment()} active={active} clear={() => change(none)} filters={filters}>
        {tab === 'orders' && <CsvButton address={ordersAddress(search)} name="orders.csv" />}
        <RefreshButton onClick={() => void client.invalidateQueries({ queryKey: ['payment'] })} />
      </PageHeader>
      {root && <Parts open={tab} />}
      {tab === 'orders' && <Orders {...props} />}
      {tab === 'inbox' && <Notices {...props} />}
      {tab === 'unmatched' && (
        <>
          <div className="mb-3">
            <Alert tone="info">{payment_unmatched_text()}</Alert>
          </div>
          <Unmatched {...props} />
        </>
      )}
    </>
  );
}
