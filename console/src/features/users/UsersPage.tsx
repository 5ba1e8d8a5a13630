import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { role, shownUserStatus } from '@tollgate/contract';
import { Users } from 'lucide-react';
import { countFilters } from '../../api/page.ts';
import {
  filter_role_all,
  filter_status_all,
  nav_users,
  users_add,
  users_empty,
  users_empty_text,
  users_search,
} from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { roleOf } from '../../ui/role.ts';
import { AddLink } from '../../ui/table/AddLink.tsx';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { GroupFilter } from '../../ui/table/GroupFilter.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { userColumns } from './columns.tsx';
import { isGone, statusOf } from './model.ts';
import { type UserFilter, userListQuery } from './queries.ts';
import type { UserSearch } from './search.ts';

const route = getRouteApi('/_console/_admin/user');
const roles = [role.common, role.admin, role.root];
const filterOf = ({ keyword, group, role: asked, status }: UserSearch): UserFilter => ({ keyword, group, role: asked, status });

function Filters({ search, change }: { search: UserSearch; change(next: UserSearch): void }) {
  return (
    <>
      <SearchField
        label={users_search()}
        value={search.keyword ?? ''}
        onCommit={(keyword) => change({ keyword: keyword || undefined })}
        className="w-80 max-sm:w-full"
      />
      <GroupFilter group={search.group} onChange={(group) => change({ group })} />
      <FilterSelect
        label={filter_role_all()}
        value={search.role}
        options={roles}
        textOf={(asked) => roleOf(asked).text}
        onChange={(asked) => change({ role: asked })}
        className="w-32 max-sm:w-full"
      />
      <FilterSelect
        label={filter_status_all()}
        value={search.status}
        options={Object.values(shownUserStatus)}
        textOf={(status) => statusOf({ status, DeletedAt: status === shownUserStatus.gone ? '' : null }).text}
        onChange={(status) => change({ status })}
        className="w-32 max-sm:w-full"
      />
    </>
  );
}

/** /user: everybody below the own role. The editor opens over it as a child route. */
export function UsersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: UserSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('user', search, change);
  const filter = filterOf(search);
  const active = countFilters(filter);
  const clear = () => change(filterOf({}));
  const query = useQuery(userListQuery(filter, list.page, list.size));
  const add = <AddLink to="/user/add">{users_add()}</AddLink>;
  return (
    <>
      <PageHeader title={nav_users()} active={active} clear={clear} below filters={<Filters search={search} change={change} />}>
        <RefreshButton onClick={() => void query.refetch()} />
        {add}
      </PageHeader>
      <PagedTable
        label={nav_users()}
        columns={userColumns}
        query={query}
        list={list}
        clear={active > 0 && clear}
        empty={<EmptyState icon={Users} title={users_empty()} text={users_empty_text()} action={add} />}
        options={{ isMuted: isGone }}
      />
      <Outlet />
    </>
  );
}
