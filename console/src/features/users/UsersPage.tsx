import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { Plus, RefreshCw, Users } from 'lucide-react';
import { groupNamesQuery } from '../../api/channels.ts';
import {
  action_refresh,
  filter_group_all,
  nav_users,
  users_add,
  users_empty,
  users_empty_text,
  users_search,
} from '../../i18n/generated/messages.ts';
import { buttonClass, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { userColumns } from './columns.tsx';
import { isGone } from './model.ts';
import { userListQuery } from './queries.ts';
import type { UserSearch } from './search.ts';

const route = getRouteApi('/_console/_admin/user');

function AddLink() {
  return (
    <Link to="/user/add" search={true} className={`${buttonClass('primary')} no-underline`}>
      <Plus size={15} aria-hidden />
      {users_add()}
    </Link>
  );
}

function Filters({ search, change }: { search: UserSearch; change(next: UserSearch): void }) {
  const { data: groups = [] } = useQuery(groupNamesQuery);
  return (
    <>
      <SearchField
        label={users_search()}
        value={search.keyword ?? ''}
        onCommit={(keyword) => change({ keyword: keyword || undefined })}
        className="w-64 max-sm:w-full"
      />
      <select
        className="control w-32 max-sm:grow"
        aria-label={filter_group_all()}
        value={search.group ?? ''}
        onChange={(event) => change({ group: event.currentTarget.value || undefined })}
      >
        <option value="">{filter_group_all()}</option>
        {groups.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </select>
    </>
  );
}

/** /user: everybody below the own role. The editor opens over it as a child route. */
export function UsersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: UserSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('user', search, change);
  const { keyword, group } = search;
  const query = useQuery(userListQuery({ keyword, group }, list.page, list.size));
  const filtered = (keyword ?? group) !== undefined || list.page > 1;
  return (
    <>
      <PageHeader
        title={nav_users()}
        active={[keyword, group].filter((value) => value !== undefined).length}
        filters={<Filters search={search} change={change} />}
      >
        <IconButton icon={RefreshCw} label={action_refresh()} onClick={() => void query.refetch()} />
        <AddLink />
      </PageHeader>
      <DataTable
        label={nav_users()}
        columns={userColumns}
        rows={query.data?.items}
        state={query}
        size={list.size}
        empty={
          filtered ? (
            <NoMatch clear={() => change({ keyword: undefined, group: undefined })} />
          ) : (
            <EmptyState icon={Users} title={users_empty()} text={users_empty_text()} action={<AddLink />} />
          )
        }
        options={{ isMuted: isGone }}
      />
      {query.data && <Pager list={list} {...query.data} />}
      <Outlet />
    </>
  );
}
