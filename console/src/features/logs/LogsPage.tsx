import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { countFilters } from '../../api/page.ts';
import { isAdmin, useSession } from '../../api/session.ts';
import { log_empty, log_empty_text, log_search_on, nav_logs, pager_next } from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { defaultLogRange } from '../../lib/time.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { type TimeRange, useRange } from '../../ui/form/useRange.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { part } from '../../ui/part.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { ColumnMenu, useColumnChoice } from '../../ui/table/ColumnMenu.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoRows } from '../../ui/table/placeholders.tsx';
import { logColumns } from './columns.tsx';
import { LogDetail } from './Detail.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import { Figures } from './Figures.tsx';
import { Filters, Ranges } from './Filters.tsx';
import { LiveNote, LiveSwitch } from './LiveBar.tsx';
import type { LogFilter } from './queries.ts';
import type { LogSearch } from './search.ts';
import { useCursors, useLogRows } from './useLogRows.ts';

const route = getRouteApi('/_console/log');
const UserDialog = part(() => import('./UserDialog.tsx'), 'UserDialog');

const standing = { from: undefined, to: undefined, p: undefined, before: undefined };

function filterOf({ token, model, group, channel, user, type, request, upstream, ip }: LogSearch) {
  return { token, model, group, channel, user, type, request, upstream, ip };
}

/** The columns for whoever reads, and the user whose name was pressed. */
function useLogColumns() {
  const session = useSession();
  const [owner, setOwner] = useState<{ id: number; name: string }>();
  const [id, admin] = [session?.id ?? 0, isAdmin(session)];
  const columns = useMemo(
    () => logColumns({ id, admin, showUser: (userId, name) => setOwner({ id: userId, name }) }),
    [id, admin],
  );
  const dialog = owner && <UserDialog {...owner} onClose={() => setOwner(undefined)} />;
  return { columns, choice: useColumnChoice('log', columns), dialog };
}

/** /log: every call that was charged or failed, and what else moved money. */
export function LogsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const forAll = isAdmin(useSession());
  const phone = usePhone();
  const client = useQueryClient();
  const standard = useRange(search, defaultLogRange);
  // Whoever has the id of a call need not know when it was.
  const range: Partial<TimeRange> = search.request ? {} : standard.range;
  const change = (next: LogSearch) =>
    void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, before: undefined, ...next }) });
  /** A range is chosen as of now, also the standard one. */
  const choose = (next: LogSearch) => {
    standard.renew();
    change(next);
  };
  const list = useListState('log', search, change);
  const filter: LogFilter = { ...range, ...filterOf(search) };
  const cursors = useCursors(list, search, JSON.stringify(filter), change);
  const { columns, choice, dialog } = useLogColumns();
  const { screen, nextBefore, rows, state, live } = useLogRows(filter, forAll, list, search.before);
  const pages = cursors(nextBefore);
  const filtered = countFilters(filterOf(search)) + countFilters({ from: search.from, to: search.to }) > 0;
  const clear = () => void navigate({ to: '/log', search: {} });
  return (
    <>
      <PageHeader
        title={nav_logs()}
        aside={<Figures filter={filter} forAll={forAll} live={live.on} />}
        below
        active={countFilters(filterOf(search))}
        clear={() => change(filterOf({}))}
        filters={
          <>
            {phone && <Ranges search={search} change={choose} />}
            <Filters search={search} range={range} change={change} forAll={forAll} />
          </>
        }
      >
        {!phone && <Ranges search={search} change={choose} />}
        <LiveSwitch live={live} onStart={() => choose(standing)} />
        <ExportMenu filter={filter} forAll={forAll} />
        <ColumnMenu columns={columns} choice={choice} />
        <RefreshButton
          onClick={() => {
            standard.renew();
            void state.refetch();
            // The sums alone: reading a body again would be written down again.
            void client.invalidateQueries({ queryKey: ['log', 'stat'] });
          }}
        />
      </PageHeader>
      {live.on && <LiveNote live={live} />}
      <DataTable
        label={nav_logs()}
        columns={choice.shown}
        rows={rows}
        state={state}
        size={list.size}
        empty={
          nextBefore > 0 ? (
            <EmptyState
              icon={ScrollText}
              title={log_search_on()}
              action={<Button onClick={() => pages.setPage(list.page + 1)}>{pager_next()}</Button>}
            />
          ) : (
            <NoRows list={pages} page={screen} clear={filtered && clear}>
              <EmptyState icon={ScrollText} title={log_empty()} text={log_empty_text()} />
            </NoRows>
          )
        }
        options={{ detail: (entry) => <LogDetail entry={entry} /> }}
      />
      {screen && !live.on && <Pager list={pages} {...screen} />}
      {dialog}
    </>
  );
}
