import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RewardState } from '@tollgate/contract';
import { Gift, Receipt, UserPlus, Wallet } from 'lucide-react';
import type { ReactNode } from 'react';
import { selfQuery } from '../../api/self.ts';
import {
  filter_status_all,
  nav_wallet,
  wallet_aff_empty,
  wallet_aff_empty_text,
  wallet_aff_records,
  wallet_aff_tabs,
  wallet_aff_users,
  wallet_order_empty,
  wallet_order_empty_text,
  wallet_records,
  wallet_rewards,
  wallet_rewards_empty,
  wallet_rewards_empty_text,
} from '../../i18n/generated/messages.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { CsvButton } from '../../ui/download/CsvButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { orderColumns } from '../../ui/payment/columns.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { Tabs, tabProps } from '../../ui/Tabs.tsx';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { exportAddress, inviteRecordsQuery, ordersQuery, rewardsQuery } from './queries.ts';
import { inviteColumns, rewardColumns, rewardFaces } from './records.tsx';
import type { InviteSearch } from './search.ts';

export { StatementPage } from './StatementPage.tsx';

const ordersRoute = getRouteApi('/_console/topup/records');
const invitesRoute = getRouteApi('/_console/aff/records');

interface HeaderProps {
  title: string;
  refresh(): unknown;
  /** Before the way back to the wallet. */
  children?: ReactNode;
  filters?: ReactNode;
  active?: number;
  clear?(): void;
}

function Header({ title, refresh, children, ...filters }: HeaderProps) {
  return (
    <PageHeader title={title} {...filters}>
      {children}
      <RefreshButton onClick={() => void refresh()} />
      <Link to="/topup" className={buttonClass()}>
        <Wallet size={15} aria-hidden />
        {nav_wallet()}
      </Link>
    </PageHeader>
  );
}

/** /topup/records: the own orders. */
export function OrdersPage() {
  const search = ordersRoute.useSearch();
  const navigate = ordersRoute.useNavigate();
  const list = useListState('topup', search, (next) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) }));
  const query = useQuery(ordersQuery(list.page, list.size));
  const empty = <EmptyState icon={Receipt} title={wallet_order_empty()} text={wallet_order_empty_text()} />;
  return (
    <>
      <Header title={wallet_records()} refresh={query.refetch}>
        <CsvButton address={exportAddress.orders()} name="topups.csv" />
      </Header>
      <PagedTable label={wallet_records()} columns={orderColumns} list={list} query={query} empty={empty} />
    </>
  );
}

/** /aff/records: who came by the own link, and every reward that brought. */
export function InvitesPage() {
  const search: InviteSearch = invitesRoute.useSearch();
  const navigate = invitesRoute.useNavigate();
  const client = useQueryClient();
  const change = (next: InviteSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const tab = search.tab ?? 'users';
  const filter = (
    <FilterSelect
      label={filter_status_all()}
      value={search.state}
      options={Object.keys(rewardFaces) as RewardState[]}
      textOf={(state) => rewardFaces[state].text()}
      onChange={(state) => change({ state })}
    />
  );
  return (
    <>
      <Header
        title={wallet_aff_records()}
        refresh={() => client.invalidateQueries({ queryKey: selfQuery.queryKey })}
        filters={tab === 'rewards' && filter}
        active={search.state === undefined ? 0 : 1}
        clear={() => change({ state: undefined })}
      >
        {tab === 'rewards' && <CsvButton address={exportAddress.rewards(search.state)} name="rewards.csv" />}
      </Header>
      <Tabs label={wallet_aff_tabs()}>
        {(['users', 'rewards'] as const).map((each) => (
          <Link
            key={each}
            to="/aff/records"
            search={each === 'users' ? {} : { tab: each }}
            activeOptions={{ exact: true }}
            {...tabProps(each === tab)}
          >
            {each === 'users' ? wallet_aff_users() : wallet_rewards()}
          </Link>
        ))}
      </Tabs>
      {tab === 'users' ? <Users search={search} change={change} /> : <Rewards search={search} change={change} />}
    </>
  );
}

interface PartProps {
  search: InviteSearch;
  change(next: InviteSearch): void;
}

function Users({ search, change }: PartProps) {
  const list = useListState('aff', search, change);
  const query = useQuery(inviteRecordsQuery(list.page, list.size));
  const empty = <EmptyState icon={UserPlus} title={wallet_aff_empty()} text={wallet_aff_empty_text()} />;
  return <PagedTable label={wallet_aff_users()} columns={inviteColumns} list={list} query={query} empty={empty} />;
}

function Rewards({ search, change }: PartProps) {
  const list = useListState('aff-rewards', search, change);
  const query = useQuery(rewardsQuery(search.state, list.page, list.size));
  return (
    <PagedTable
      label={wallet_rewards()}
      columns={rewardColumns}
      query={query}
      list={list}
      clear={search.state !== undefined && (() => change({ state: undefined }))}
      empty={<EmptyState icon={Gift} title={wallet_rewards_empty()} text={wallet_rewards_empty_text()} />}
    />
  );
}
