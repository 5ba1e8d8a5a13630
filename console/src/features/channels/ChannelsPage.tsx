import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { channelStatus, mostTagged } from '@tollgate/contract';
import { Network, Tags } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type ChannelFilter, channelListQuery } from '../../api/channels.ts';
import { countFilters, type Page } from '../../api/page.ts';
import {
  channel_add,
  channel_empty,
  channel_empty_text,
  nav_channels,
  tag_cut,
  tag_empty,
  tag_empty_text,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { part } from '../../ui/part.tsx';
import { AddLink } from '../../ui/table/AddLink.tsx';
import { readPrefs, useListState, writePrefs } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { Actions } from './Actions.tsx';
import { channelColumns } from './columns.tsx';
import { Filters } from './Filters.tsx';
import { JobsPanel, useJobs } from './JobsPanel.tsx';
import type { ChannelSearch } from './search.ts';
import { type ChannelRow, isTagRow, tagRowsOf } from './tags.ts';

const BatchBar = part(() => import('./BatchBar.tsx'), 'BatchBar');
const route = getRouteApi('/_console/_admin/channel');
const isMuted = (row: ChannelRow) =>
  isTagRow(row)
    ? row.channels.every((channel) => channel.status !== channelStatus.enabled)
    : row.status !== channelStatus.enabled;
const children = (row: ChannelRow): readonly ChannelRow[] | undefined => (isTagRow(row) ? row.channels : undefined);

const noTags = () => <EmptyState icon={Tags} title={tag_empty()} text={tag_empty_text()} />;
const noChannels = () => (
  <EmptyState
    icon={Network}
    title={channel_empty()}
    text={channel_empty_text()}
    action={<AddLink to="/channel/add">{channel_add()}</AddLink>}
  />
);

const filterOf = ({ keyword, model, group, status, type }: ChannelSearch): ChannelFilter => ({
  keyword,
  model,
  group,
  status,
  type,
});

function useChannels() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [idSort, setIdSort] = useState(() => readPrefs('channel').idSort === true);
  const change = (next: ChannelSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('channel', search, change);
  const filter = filterOf(search);
  const byTag = search.view === 'tags';
  const query = useQuery(channelListQuery(filter, { idSort, byTag }, list.page, list.size));
  const { data } = query;
  const page = useMemo<Page<ChannelRow> | undefined>(
    () => data && { ...data, items: byTag ? tagRowsOf(data.items) : data.items },
    [data, byTag],
  );
  return { search, active: countFilters(filter), change, list, byTag, query, page, idSort, setIdSort };
}

/** /channel: the upstreams. Editor, health and tag open over it as child routes. */
export function ChannelsPage() {
  const { search, active, change, list, byTag, query, page, idSort, setIdSort } = useChannels();
  const jobs = useJobs();
  const [batch, setBatch] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  // What is not on screen any more is not selected any more.
  const ids = (query.data?.items ?? []).map(({ id }) => id).filter((id) => selected.has(id));
  const refresh = () => {
    void query.refetch();
    jobs.refresh();
  };
  const clear = () => change(filterOf({}));
  return (
    <>
      <PageHeader
        title={nav_channels()}
        below
        active={active}
        clear={clear}
        filters={
          <Filters
            search={search}
            change={change}
            idSort={idSort}
            setIdSort={(on) => {
              writePrefs('channel', { idSort: on });
              setIdSort(on);
            }}
            batch={batch}
            setBatch={(on) => {
              setSelected(new Set());
              setBatch(on);
            }}
          />
        }
      >
        <Actions refresh={refresh} onStart={jobs.show} />
      </PageHeader>
      <JobsPanel jobs={jobs} />
      <PagedTable
        label={nav_channels()}
        columns={channelColumns}
        query={{ ...query, data: page }}
        list={list}
        clear={active > 0 && clear}
        empty={byTag ? noTags() : noChannels()}
        options={{
          isMuted,
          ...(byTag ? { children } : {}),
          ...(batch ? { selection: { ids: new Set(ids), onChange: setSelected } } : {}),
        }}
      >
        {page?.cut && (
          <p className="mt-2 rounded-md bg-warn-tint px-3 py-2 text-warn">{tag_cut({ count: formatUnits(mostTagged) })}</p>
        )}
        {batch && <BatchBar ids={ids} clear={() => setSelected(new Set())} />}
      </PagedTable>
      <Outlet />
    </>
  );
}
