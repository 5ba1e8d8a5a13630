import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import {
  action_refresh,
  log_empty,
  log_empty_text,
  log_stat_quota,
  log_stat_rpm,
  log_stat_tpm,
  nav_logs,
} from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { formatNumber } from '../../lib/money.ts';
import { defaultLogRange, nowSeconds } from '../../lib/time.ts';
import { IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { adminColumns, ownColumns } from './columns.tsx';
import { LogDetail } from './Detail.tsx';
import { Filters, Ranges } from './Filters.tsx';
import { type LogFilter, logListQuery, logStatQuery } from './queries.ts';
import type { LogSearch } from './search.ts';

const route = getRouteApi('/_console/log');

function Figures({ filter, forAll }: { filter: LogFilter; forAll: boolean }) {
  const { data } = useQuery(logStatQuery(filter, forAll));
  const figures = [
    { id: 'quota', label: log_stat_quota(), value: data && <Quota value={data.quota} />, tone: 'bg-accent-tint text-accent' },
    { id: 'rpm', label: log_stat_rpm(), value: data && formatNumber(data.rpm), tone: 'bg-violet-tint text-violet' },
    { id: 'tpm', label: log_stat_tpm(), value: data && formatNumber(data.tpm), tone: 'bg-grey-tint text-fg' },
  ];
  return figures.map(({ id, label, value, tone }) => (
    <span key={id} className={`inline-flex h-6 items-center gap-1.5 rounded-sm px-2 tabular-nums ${tone}`}>
      {label} <strong className="min-w-8 text-end font-semibold max-sm:min-w-0">{value ?? '–'}</strong>
    </span>
  ));
}

/** The range of the URL, else the last hour as of when the page was opened or refreshed. */
function useRange(search: LogSearch) {
  const [standard, setStandard] = useState(() => defaultLogRange(nowSeconds()));
  const range = { from: search.from ?? standard.from, to: search.to ?? standard.to };
  return { range, renew: () => setStandard(defaultLogRange(nowSeconds())) };
}

const isFiltered = ({ p, size, ...filters }: LogSearch): boolean => Object.values(filters).some((value) => value !== undefined);

/** /log: every call that was charged, and what else moved money. */
export function LogsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const forAll = isAdmin(useSession());
  const phone = usePhone();
  const { range, renew } = useRange(search);
  const change = (next: LogSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('log', search, change);
  const { token, model, group, channel, user, type } = search;
  const filter: LogFilter = { ...range, token, model, group, channel, user, type };
  const query = useQuery(logListQuery(filter, forAll, list.page, list.size));
  const refresh = () => {
    renew();
    void query.refetch();
  };
  return (
    <>
      <PageHeader
        title={nav_logs()}
        aside={<Figures filter={filter} forAll={forAll} />}
        below
        active={[token, model, group, channel, user, type].filter((value) => value !== undefined).length}
        filters={
          <>
            {phone && <Ranges change={change} />}
            <Filters search={search} range={range} change={change} forAll={forAll} />
          </>
        }
      >
        {!phone && <Ranges change={change} />}
        <IconButton icon={RefreshCw} label={action_refresh()} onClick={refresh} />
      </PageHeader>
      <DataTable
        label={nav_logs()}
        columns={forAll ? adminColumns : ownColumns}
        rows={query.data?.items}
        state={query}
        size={list.size}
        empty={
          isFiltered(search) || list.page > 1 ? (
            <NoMatch clear={() => void navigate({ to: '/log', search: {} })} />
          ) : (
            <EmptyState icon={ScrollText} title={log_empty()} text={log_empty_text()} />
          )
        }
        options={{ detail: (entry) => <LogDetail entry={entry} /> }}
      />
      {query.data && <Pager list={list} total={query.data.total} hasNext={query.data.hasNext} />}
    </>
  );
}
