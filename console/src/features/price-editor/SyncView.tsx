import { useQuery } from '@tanstack/react-query';
import type { PriceSync, PriceSyncRow } from '@tollgate/contract';
import { CircleCheck, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { pageOfAll } from '../../api/page.ts';
import {
  col_model,
  col_status,
  history_option,
  price_preview_change,
  price_preview_now,
  price_sync_address,
  price_sync_applied,
  price_sync_apply,
  price_sync_catalogue,
  price_sync_extreme,
  price_sync_extreme_text,
  price_sync_extreme_title,
  price_sync_fetch,
  price_sync_gateway,
  price_sync_none,
  price_sync_off,
  price_sync_rows,
  price_sync_source,
  price_sync_text,
  price_sync_tiers_catalogue,
  price_sync_tiers_own,
  price_sync_tiers_text,
  price_sync_truncated,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { usePages } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoRows } from '../../ui/table/placeholders.tsx';
import { syncQuery, useApplySync } from './queries.ts';

type Row = PriceSyncRow & { id: number };

const besideTiers = { own: price_sync_tiers_own, catalogue: price_sync_tiers_catalogue } as const;

const columns: readonly Column<Row>[] = [
  { id: 'model', header: col_model, card: 'title', fill: true, cell: ({ model }) => model },
  { id: 'option', header: history_option, cell: ({ option }) => <code className="text-xs">{option}</code> },
  { id: 'from', header: price_preview_now, end: true, cell: ({ from }) => from ?? '–' },
  { id: 'to', header: price_sync_source, end: true, cell: ({ to }) => <strong>{to}</strong> },
  {
    id: 'change',
    header: price_preview_change,
    end: true,
    cell: ({ ratio_change: change, extreme, tiers }) => (
      <span className="inline-flex items-center gap-1">
        {tiers !== undefined && <Badge tone="warn">{besideTiers[tiers]()}</Badge>}
        {extreme && <Badge tone="bad">{price_sync_extreme()}</Badge>}
        {change === null ? '–' : `× ${Number(change.toPrecision(4))}`}
      </span>
    ),
  },
  {
    id: 'enabled',
    header: col_status,
    card: 'corner',
    cell: ({ enabled }) => (enabled ? '' : <Badge>{price_sync_off()}</Badge>),
  },
];

function ChangeSet({ sync, state }: { sync: PriceSync; state: { isFetching: boolean; refetch(): unknown } }) {
  const rows: Row[] = sync.rows.map((row, index) => ({ ...row, id: index + 1 }));
  const list = usePages(20);
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const apply = useApplySync();
  const chosen = rows.filter(({ id }) => ids.has(id));
  const extreme = chosen.filter((row) => row.extreme).length;
  const run = async () => {
    const question = {
      title: price_sync_extreme_title({ count: extreme }),
      text: price_sync_extreme_text(),
      tone: 'bad',
    } as const;
    if (extreme > 0 && !(await confirm({ ...question, confirmLabel: price_sync_apply({ count: chosen.length }) }))) return;
    const body = { source: sync.source, rows: chosen, confirmed: extreme > 0 };
    apply.mutate(body, { onError: notifyError, onSuccess: () => notify('ok', price_sync_applied({ count: chosen.length })) });
  };
  const shown = pageOfAll(rows, list.page, list.size);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted">{price_sync_rows({ count: rows.length })}</span>
        <Button
          className="ml-auto"
          tone="primary"
          disabled={chosen.length === 0}
          pending={apply.isPending}
          onClick={() => void run()}
        >
          {price_sync_apply({ count: chosen.length })}
        </Button>
      </div>
      <div className="my-2 flex flex-col gap-2">
        {sync.truncated && <Alert tone="warn">{price_sync_truncated()}</Alert>}
        {rows.some(({ tiers }) => tiers !== undefined) && <Alert tone="warn">{price_sync_tiers_text()}</Alert>}
      </div>
      <DataTable
        label={price_sync_text()}
        columns={columns}
        rows={shown.items}
        state={{ ...state, isPending: false, error: null }}
        size={list.size}
        empty={
          <NoRows list={list} page={shown}>
            <EmptyState icon={CircleCheck} title={price_sync_none()} />
          </NoRows>
        }
        options={{ selection: { ids, onChange: setIds }, isMuted: ({ enabled }) => !enabled }}
      />
      {rows.length > 0 && <Pager list={list} total={rows.length} hasNext={shown.hasNext} />}
    </>
  );
}

/** How prices elsewhere differ; what is chosen of that becomes a new version, nothing by itself. */
export function SyncView() {
  const [kind, setKind] = useState<'catalogue' | 'gateway'>('catalogue');
  const [address, setAddress] = useState('');
  const [asked, setAsked] = useState<string>();
  const query = useQuery({ ...syncQuery(asked ?? ''), enabled: asked !== undefined });
  const source = kind === 'catalogue' ? kind : address.trim();
  const ask = () => (source === asked ? void query.refetch() : setAsked(source));
  return (
    <>
      <form
        className="mb-3 flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <label className="flex flex-col gap-1 max-sm:w-full">
          <span className="font-medium">{price_sync_source()}</span>
          <select
            className="control w-44 max-sm:w-full"
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value === 'gateway' ? 'gateway' : 'catalogue')}
          >
            <option value="catalogue">{price_sync_catalogue()}</option>
            <option value="gateway">{price_sync_gateway()}</option>
          </select>
        </label>
        {kind === 'gateway' && (
          <label className="flex flex-col gap-1 max-sm:w-full">
            <span className="font-medium">{price_sync_address()}</span>
            <input
              type="url"
              required
              className="control w-80 max-sm:w-full"
              placeholder="https://"
              maxLength={2048}
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
          </label>
        )}
        <Button type="submit" icon={RefreshCw} pending={query.isFetching}>
          {price_sync_fetch()}
        </Button>
      </form>
      <p className="mb-3 text-muted">{price_sync_text()}</p>
      {query.error && !query.isFetching && <LoadError error={query.error} retry={query.refetch} />}
      {query.data && !query.error && <ChangeSet key={query.dataUpdatedAt} sync={query.data} state={query} />}
    </>
  );
}
