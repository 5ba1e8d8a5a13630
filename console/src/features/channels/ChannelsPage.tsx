import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { type Channel, channelStatus } from '@tollgate/contract';
import { Ellipsis, Network, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { channelListQuery, groupNamesQuery, useDisabledRemoval } from '../../api/channels.ts';
import {
  action_delete,
  action_more,
  action_refresh,
  channel_add,
  channel_delete_disabled,
  channel_delete_disabled_done,
  channel_delete_disabled_text,
  channel_empty,
  channel_empty_text,
  channel_id_sort,
  channel_search,
  channel_search_model,
  filter_group_all,
  nav_channels,
} from '../../i18n/generated/messages.ts';
import { buttonClass, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { readPrefs, useListState, writePrefs } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { channelColumns } from './columns.tsx';
import type { ChannelSearch } from './search.ts';

const route = getRouteApi('/_console/_admin/channel');
const isMuted = (channel: Channel) => channel.status !== channelStatus.enabled;

function AddLink() {
  return (
    <Link to="/channel/add" search={true} className={`${buttonClass('primary')} no-underline`}>
      <Plus size={15} aria-hidden />
      {channel_add()}
    </Link>
  );
}

function MoreMenu() {
  const removal = useDisabledRemoval();
  const removeDisabled = async () => {
    const sure = await confirm({
      title: channel_delete_disabled(),
      text: channel_delete_disabled_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (sure)
      removal.mutate(undefined, {
        onError: notifyError,
        onSuccess: (count) => notify('ok', channel_delete_disabled_done({ count })),
      });
  };
  const items = () => [
    {
      key: 'disabled',
      label: channel_delete_disabled(),
      icon: Trash2,
      tone: 'bad' as const,
      onSelect: () => void removeDisabled(),
    },
  ];
  return (
    <MenuButton label={action_more()} items={items}>
      <Ellipsis size={16} aria-hidden />
    </MenuButton>
  );
}

interface FilterProps {
  search: ChannelSearch;
  change(next: ChannelSearch): void;
  idSort: boolean;
  setIdSort(on: boolean): void;
}

function Filters({ search, change, idSort, setIdSort }: FilterProps) {
  const { data: groups = [] } = useQuery(groupNamesQuery);
  return (
    <>
      <SearchField
        label={channel_search()}
        value={search.keyword ?? ''}
        onCommit={(keyword) => change({ keyword: keyword || undefined })}
      />
      <SearchField
        label={channel_search_model()}
        value={search.model ?? ''}
        onCommit={(model) => change({ model: model || undefined })}
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
      <label className="inline-flex min-h-6 items-center gap-1.5">
        <input
          type="checkbox"
          role="switch"
          className="switch"
          checked={idSort}
          aria-checked={idSort}
          onChange={(event) => setIdSort(event.currentTarget.checked)}
        />
        {channel_id_sort()}
      </label>
    </>
  );
}

/** /channel: the upstreams. The editor opens over it as a child route. */
export function ChannelsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [idSort, setIdSort] = useState(() => readPrefs('channel').idSort === true);
  const change = (next: ChannelSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('channel', search, change);
  const { keyword, model, group } = search;
  const query = useQuery(channelListQuery({ keyword, model, group }, idSort, list.page, list.size));
  const filtered = (keyword ?? model ?? group) !== undefined || list.page > 1;
  return (
    <>
      <PageHeader
        title={nav_channels()}
        active={[keyword, model, group].filter((value) => value !== undefined).length}
        filters={
          <Filters
            search={search}
            change={change}
            idSort={idSort}
            setIdSort={(on) => {
              writePrefs('channel', { idSort: on });
              setIdSort(on);
            }}
          />
        }
      >
        <IconButton icon={RefreshCw} label={action_refresh()} onClick={() => void query.refetch()} />
        <MoreMenu />
        <AddLink />
      </PageHeader>
      <DataTable
        label={nav_channels()}
        columns={channelColumns}
        rows={query.data?.items}
        state={query}
        size={list.size}
        empty={
          filtered ? (
            <NoMatch clear={() => change({ keyword: undefined, model: undefined, group: undefined })} />
          ) : (
            <EmptyState icon={Network} title={channel_empty()} text={channel_empty_text()} action={<AddLink />} />
          )
        }
        options={{ isMuted }}
      />
      <Pager list={list} total={query.data?.total} hasNext={query.data?.hasNext ?? false} />
      <Outlet />
    </>
  );
}
