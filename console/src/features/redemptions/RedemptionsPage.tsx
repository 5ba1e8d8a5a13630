import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { type Redemption, redemptionStatus } from '@tollgate/contract';
import { ChartColumnStacked, Copy, Ticket, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { countFilters } from '../../api/page.ts';
import {
  action_delete,
  filter_status_all,
  nav_redemption,
  redemption_add,
  redemption_campaigns,
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
import { Button, IconButton } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { part } from '../../ui/part.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { AddLink } from '../../ui/table/AddLink.tsx';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { redemptionColumns } from './columns.tsx';
import { copyLines, shownStatusOf, statuses, statusOf } from './model.ts';
import { type RedemptionFilter, redemptionListQuery, useInvalidRemoval } from './queries.ts';
import type { RedemptionSearch } from './search.ts';

const RedemptionBar = part(() => import('./RedemptionBar.tsx'), 'RedemptionBar');
const route = getRouteApi('/_console/_admin/redemption');

const filterOf = ({ keyword, status }: RedemptionSearch): RedemptionFilter => ({ keyword, status });
const isMuted = (row: Redemption) => shownStatusOf(row) !== redemptionStatus.unused;

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
  const filter = filterOf(search);
  const active = countFilters(filter);
  const clear = () => change(filterOf({}));
  const query = useQuery(redemptionListQuery(filter, list.page, list.size));
  const chosen = query.data?.items.filter((row) => selected.has(row.id)) ?? [];
  const copySelected = () => (chosen.length === 0 ? notify('warn', redemption_select_one()) : void copyText(copyLines(chosen)));
  const add = <AddLink to="/redemption/add">{redemption_add()}</AddLink>;
  return (
    <>
      <PageHeader
        title={nav_redemption()}
        active={active}
        clear={clear}
        filters={
          <>
            <SearchField
              label={redemption_search()}
              value={search.keyword ?? ''}
              onCommit={(keyword) => change({ keyword: keyword || undefined })}
            />
            <FilterSelect
              label={filter_status_all()}
              value={search.status}
              options={statuses}
              textOf={(status) => statusOf(status).text}
              onChange={(status) => change({ status })}
              className="w-32 max-sm:w-full"
            />
          </>
        }
      >
        <Button icon={Copy} className={chosen.length === 0 ? 'max-sm:hidden' : ''} onClick={copySelected}>
          {redemption_copy_selected({ count: chosen.length })}
        </Button>
        <ClearButton />
        <IconButton
          icon={ChartColumnStacked}
          label={redemption_campaigns()}
          onClick={() => void navigate({ to: '/redemption/campaigns', search: true })}
        />
        <RefreshButton onClick={() => void query.refetch()} />
        {add}
      </PageHeader>
      <PagedTable
        label={nav_redemption()}
        columns={redemptionColumns}
        query={query}
        list={list}
        clear={active > 0 && clear}
        empty={<EmptyState icon={Ticket} title={redemption_empty()} text={redemption_empty_text()} action={add} />}
        options={{ selection: { ids: selected, onChange: setSelected }, isMuted }}
      >
        {chosen.length > 0 && <RedemptionBar codes={chosen} clear={() => setSelected(new Set())} />}
      </PagedTable>
      <Outlet />
    </>
  );
}
