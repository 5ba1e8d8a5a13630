import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PricePreview, RevenueRow } from '@tollgate/contract';
import { useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { useMoney } from '../../api/status.ts';
import {
  col_name,
  price_overruled,
  price_overruled_text,
  price_preview_by_model,
  price_preview_by_user,
  price_preview_calls,
  price_preview_change,
  price_preview_days,
  price_preview_days_option,
  price_preview_incomplete,
  price_preview_losers,
  price_preview_more,
  price_preview_now,
  price_preview_rows,
  price_preview_running,
  price_preview_text,
  price_preview_then,
  price_preview_title,
  price_preview_total,
  price_preview_unpriced,
  price_preview_user_open,
  price_preview_winners,
  price_save,
  price_version_changed,
  save_unchanged,
} from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { ChangeTable } from '../../ui/ChangeTable.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';
import type { OptionChange } from './draft.ts';
import { previewQuery, useSave } from './queries.ts';
import { entriesOf, type overruled as overruledOf } from './rebase.ts';

const dayChoices = [1, 7, 30, 90];
const shownRows = 20;
/** A phone has no room for these beside the names. */
const wideOnly = [price_preview_calls, price_preview_now];
/** So many entries leave what they would bring in sight. */
const fewChanges = 12;

/** `+12.5%`; nothing where nothing was. */
function changeText({ now, next }: Pick<RevenueRow, 'now' | 'next'>): string {
  if (now === next) return '0%';
  return now === 0 ? '–' : `${next > now ? '+' : ''}${Number((((next - now) / now) * 100).toFixed(1))}%`;
}

/** A user is the way to them, beside the question that is still open here. */
function Name({ row: { id, name } }: { row: RevenueRow }) {
  if (id === undefined) return name;
  return (
    <Link
      to="/user/edit/$id"
      params={{ id: String(id) }}
      target="_blank"
      aria-label={price_preview_user_open({ name })}
      className="inline-flex min-h-6 items-center text-accent hover:underline"
    >
      {name}
    </Link>
  );
}

function Revenue({ title, rows: all }: { title: string; rows: readonly RevenueRow[] }) {
  const format = useMoney();
  const rows = all.slice(0, shownRows);
  if (rows.length === 0) return null;
  const heads = [col_name, price_preview_calls, price_preview_now, price_preview_then, price_preview_change];
  // What is less than a dollar in one row is shown exactly in all of them.
  const digits = rows.some(({ now, next }) => Math.max(now, next) < format.quotaPerUnit) ? 4 : 2;
  return (
    <section className="mt-1">
      <h3 className="mb-1 font-semibold text-sm">{title}</h3>
      <table className="bill w-full tabular-nums" aria-label={title}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head()} scope="col" className={wideOnly.includes(head) ? 'max-sm:hidden' : undefined}>
                {head()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.id ?? ''} ${row.name}`}>
              <td className="break-all">
                <Name row={row} />
              </td>
              <td className="max-sm:hidden">{formatUnits(row.calls)}</td>
              <td className="max-sm:hidden">{formatQuota(row.now, format, digits)}</td>
              <td>{formatQuota(row.next, format, digits)}</td>
              <td className="whitespace-nowrap">{changeText(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > rows.length && (
        <p className="text-muted text-xs">{price_preview_more({ count: formatUnits(all.length - rows.length) })}</p>
      )}
    </section>
  );
}

const isChanged = (row: RevenueRow): boolean => row.now !== row.next;

function Outcome({ preview }: { preview: PricePreview }) {
  const { rows, complete, unpriced, now, next, models, users, winners, losers } = preview;
  const touched = users.filter(isChanged);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-muted">{price_preview_rows({ count: formatUnits(rows) })}</p>
      {!complete && <Alert tone="warn">{price_preview_incomplete()}</Alert>}
      {unpriced > 0 && <Alert tone="warn">{price_preview_unpriced({ count: formatUnits(unpriced) })}</Alert>}
      <Revenue title={price_preview_total()} rows={[{ name: price_preview_total(), calls: rows, now, next }]} />
      <Revenue title={price_preview_by_model()} rows={models.filter(isChanged)} />
      <Revenue title={price_preview_winners()} rows={winners} />
      <Revenue title={price_preview_losers()} rows={losers} />
      {touched.length > winners.length + losers.length && <Revenue title={price_preview_by_user()} rows={touched} />}
    </div>
  );
}

interface Props {
  changes: readonly OptionChange[];
  /** Of these what is taken from others. */
  overruled: ReturnType<typeof overruledOf>;
  onClose(): void;
  onSaved(): void;
}

/** What the last days would have brought with these prices, then the save. */
export function SaveDialog({ changes: edited, overruled, onClose, onSaved }: Props) {
  const [days, setDays] = useState(7);
  const save = useSave();
  // The dialog outlives the moment at which what was saved is no difference any more.
  const changes = save.isPending || save.isSuccess ? save.variables : edited;
  const { data, error, isFetching } = useQuery(previewQuery(changes, days));
  const diff = entriesOf(changes, data?.inherited);
  return (
    <Dialog
      title={price_preview_title()}
      description={price_preview_text()}
      wide
      onClose={onClose}
      footer={
        <>
          <CancelButton />
          <Button
            tone="primary"
            disabled={changes.length === 0}
            pending={save.isPending}
            onClick={() => save.mutate([...changes], { onSuccess: onSaved })}
          >
            {price_save()}
          </Button>
        </>
      }
    >
      {(save.error || overruled.length > 0) && (
        <div className="mb-3 flex flex-col gap-2">
          <SaveFault error={save.error} />
          {overruled.length > 0 && (
            <>
              <Alert tone="warn">{price_overruled_text()}</Alert>
              <ChangeTable label={price_overruled()} diff={overruled} changed={overruled.length} />
            </>
          )}
        </div>
      )}
      {changes.length === 0 && <p className="text-muted">{save_unchanged()}</p>}
      {diff.length > 0 && (
        <details className="mb-2" open={diff.length <= fewChanges}>
          <summary className="cursor-pointer break-words">
            {price_version_changed()} {diff.length} · <code className="text-xs">{changes.map(({ key }) => key).join(', ')}</code>
          </summary>
          <ChangeTable label={price_version_changed()} diff={diff} changed={diff.length} />
        </details>
      )}
      <label className="mb-2 flex items-center gap-2">
        {price_preview_days()}
        <select className="control w-40" value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {dayChoices.map((count) => (
            <option key={count} value={count}>
              {price_preview_days_option({ count })}
            </option>
          ))}
        </select>
      </label>
      <div aria-live="polite" aria-busy={isFetching} className="min-h-40">
        {isFetching ? (
          <p className="text-muted">{price_preview_running()}</p>
        ) : error ? (
          <Alert tone="bad">{textOf(error)}</Alert>
        ) : (
          data && <Outcome preview={data} />
        )}
      </div>
    </Dialog>
  );
}
