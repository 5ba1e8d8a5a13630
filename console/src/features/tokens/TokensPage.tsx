import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { type Token, tokenStatus } from '@tollgate/contract';
import { Copy, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { countFilters } from '../../api/page.ts';
import { type TokenFilter, tokenListQuery } from '../../api/tokens.ts';
import {
  col_name,
  filter_status_all,
  nav_tokens,
  token_add,
  token_copy_selected,
  token_empty,
  token_empty_text,
  token_key,
  token_select_one,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { notify } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { part } from '../../ui/part.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { AddLink } from '../../ui/table/AddLink.tsx';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { tokenColumns } from './columns.tsx';
import { copyLines, statusOf } from './model.ts';
import type { TokenSearch } from './search.ts';

const TokenBar = part(() => import('./TokenBar.tsx'), 'TokenBar');
const route = getRouteApi('/_console/token');

const filterOf = ({ keyword, token, status }: TokenSearch): TokenFilter => ({ keyword, token, status });
const isMuted = (token: Token) => token.status !== tokenStatus.enabled;

/** /token: the own API tokens. The editor opens over it as a child route. */
export function TokensPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const change = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('token', search, change);
  const filter = filterOf(search);
  const active = countFilters(filter);
  const clear = () => change(filterOf({}));
  const query = useQuery(tokenListQuery(filter, list.page, list.size));
  const chosen = query.data?.items.filter((token) => selected.has(token.id)) ?? [];
  const copySelected = () => (chosen.length === 0 ? notify('warn', token_select_one()) : void copyText(copyLines(chosen)));
  const add = <AddLink to="/token/add">{token_add()}</AddLink>;
  return (
    <>
      <PageHeader
        title={nav_tokens()}
        active={active}
        clear={clear}
        filters={
          <>
            <SearchField
              label={col_name()}
              value={search.keyword ?? ''}
              onCommit={(keyword) => change({ keyword: keyword || undefined })}
            />
            <SearchField
              label={token_key()}
              value={search.token ?? ''}
              onCommit={(token) => change({ token: token || undefined })}
            />
            <FilterSelect
              label={filter_status_all()}
              value={search.status}
              options={Object.values(tokenStatus)}
              textOf={(status) => statusOf({ status, model_limits_enabled: false }).text}
              onChange={(status) => change({ status })}
              className="w-32 max-sm:w-full"
            />
          </>
        }
      >
        <Button icon={Copy} className={chosen.length === 0 ? 'max-sm:hidden' : ''} onClick={copySelected}>
          {token_copy_selected({ count: chosen.length })}
        </Button>
        <RefreshButton onClick={() => void query.refetch()} />
        {add}
      </PageHeader>
      <PagedTable
        label={nav_tokens()}
        columns={tokenColumns}
        query={query}
        list={list}
        clear={active > 0 && clear}
        empty={<EmptyState icon={KeyRound} title={token_empty()} text={token_empty_text()} action={add} />}
        options={{ selection: { ids: selected, onChange: setSelected }, isMuted }}
      >
        {chosen.length > 0 && <TokenBar tokens={chosen} clear={() => setSelected(new Set())} />}
      </PagedTable>
      <Outlet />
    </>
  );
}
