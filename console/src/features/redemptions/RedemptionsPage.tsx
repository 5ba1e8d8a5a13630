import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { type Redemption, redemptionStatus } from '@tollgate/contract';
import { Copy, Plus, RefreshCw, Ticket, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  action_delete,
  action_refresh,
  nav_redemption,
  redemption_add,
  redemption_clear_done,
  redemption_clear_invalid,
  redemption_clear_text,
  redemption_clear_title,
  redemption_copy_selected,
  redemption_empty,
  redemption_empty_text,
  redemption_search,
  redemption_select_one,
} from '../../i18n/generated/messages.ts';
import { Button, buttonClass, IconButton } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { redemptionColumns } from './columns.tsx';
import { copyLines } from './model.ts';
import { redemptionListQuery, useInvalidRemoval } from './queries.ts';

const route = getRouteApi('/_console/_admin/redemption');

const isMuted = (row: Redemption) => row.status !== redemptionStatus.unused;

function AddLink() {
  return (
    <Link to="/redemption/add" search={true} className={`${buttonClass('primary')} no-underline`}>
      <Plus size={15} aria-hidden />
      {redemption_add()}
    </Link>
  );
}

function ClearButton() {
  const removal = useInvalidRemoval();
  const clear = async () => {
    const sure = await confirm({
      title: redemption_clear_title(),
      text: redemption_clear_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (!sure) return;
    removal.mutate(undefined, {
      onError: notifyError,
      onSuccess: (count) => notify('ok', redemption_clear_done({ count })),
    });
  };
  return (
    <IconButton icon={Trash2} label={redemption_clear_invalid()} disabled={removal.isPending} onClick={() => void clear()} />
  );
}

/** /redemption: the codes that top up balances, for administrators. The editor opens over it as a child route. */
export function RedemptionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const change = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('redemption', search, change);
  const { keyword } = search;
  const query = useQuery(redemptionListQuery(keyword, list.page, list.size));
  const rows = query.data?.items;
  const chosen = rows?.filter((row) => selected.has(row.id)) ?? [];
  const copySelected = () => (chosen.length === 0 ? notify('warn', redemption_select_one()) : void copyText(copyLines(chosen)));
  return (
    <>
      <PageHeader
        title={nav_redemption()}
        active={Number(keyword !== undefined)}
        filters={
          <SearchField
            label={redemption_search()}
            value={keyword ?? ''}
            onCommit={(text) => change({ keyword: text || undefined })}
          />
        }
      >
        <Button icon={Copy} className={chosen.length === 0 ? 'max-sm:hidden' : ''} onClick={copySelected}>
          {redemption_copy_selected({ count: chosen.length })}
        </Button>
        <ClearButton />
        <IconButton icon={RefreshCw} label={action_refresh()} onClick={() => void query.refetch()} />
        <AddLink />
      </PageHeader>
      <DataTable
        label={nav_redemption()}
        columns={redemptionColumns}
        rows={rows}
        state={query}
        size={list.size}
        empty={
          keyword !== undefined || list.page > 1 ? (
            <NoMatch clear={() => change({ keyword: undefined })} />
          ) : (
            <EmptyState icon={Ticket} title={redemption_empty()} text={redemption_empty_text()} action={<AddLink />} />
          )
        }
        options={{ selection: { ids: selected, onChange: setSelected }, isMuted }}
      />
      {query.data && <Pager list={list} {...query.data} />}
      <Outlet />
    </>
  );
}
