import type { ImportKind, ImportReport } from '@tollgate/contract';
import type { ReactNode } from 'react';
import {
  import_column_changed,
  import_column_found,
  import_column_kind,
  import_column_known,
  import_column_new,
  import_column_skipped,
  import_debts,
  import_done_delta,
  import_done_dry_run,
  import_done_import,
  import_dry_note,
  import_equal,
  import_kind_logs,
  import_kind_options,
  import_kind_redemptions,
  import_kind_users,
  import_left,
  import_product,
  import_remarks,
  import_short,
  import_sum_affiliate,
  import_sum_balance,
  import_sum_here,
  import_sum_used,
  import_unequal,
  import_waits,
  nav_channels,
  nav_tokens,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { BillHead } from '../../ui/BillHead.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';

export const kindLabels: Readonly<Record<ImportKind, () => string>> = {
  options: import_kind_options,
  users: import_kind_users,
  tokens: nav_tokens,
  channels: nav_channels,
  redemptions: import_kind_redemptions,
  logs: import_kind_logs,
};
const titles = { 'dry-run': import_done_dry_run, import: import_done_import, delta: import_done_delta };
const columns = [
  ['found', import_column_found],
  ['imported', import_column_new],
  ['known', import_column_known],
  ['changed', import_column_changed],
  ['skipped', import_column_skipped],
] as const;
const sums = [
  ['balance', import_sum_balance],
  ['used', import_sum_used],
  ['affiliate', import_sum_affiliate],
] as const;

interface SheetProps {
  label: string;
  title: string;
  heads: readonly string[];
  children: ReactNode;
}

/** Scrolls by itself on a phone, and shows that it does. */
function Sheet({ label, title, heads, children }: SheetProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="sideways" aria-label={label} tabIndex={0}>
      <table className="bill tabular-nums" aria-label={title}>
        <BillHead heads={heads} />
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Counts({ report: { counts, mode } }: { report: ImportReport }) {
  const found = (Object.keys(kindLabels) as ImportKind[]).filter((kind) => counts[kind].found > 0);
  return (
    <Sheet
      label={import_column_kind()}
      title={titles[mode]()}
      heads={[import_column_kind(), ...columns.map(([, label]) => label())]}
    >
      {found.map((kind) => (
        <tr key={kind}>
          <th scope="row">{kindLabels[kind]()}</th>
          {columns.map(([name]) => (
            <td key={name}>{formatUnits(counts[kind][name])}</td>
          ))}
        </tr>
      ))}
    </Sheet>
  );
}

function Sums({ report: { before, after, debts } }: { report: ImportReport }) {
  return (
    <Sheet
      label={import_sum_balance()}
      title={import_sum_balance()}
      heads={[import_column_kind(), import_column_found(), ...(after ? [import_sum_here()] : [])]}
    >
      {sums.map(([name, label]) => (
        <tr key={name}>
          <th scope="row">{label()}</th>
          <td>
            <Quota value={before[name]} />
          </td>
          {after && (
            <td className={after[name] === before[name] ? '' : 'text-bad'}>
              <Quota value={after[name]} />
            </td>
          )}
        </tr>
      ))}
      {debts > 0 && (
        <tr>
          <th scope="row">{import_debts()}</th>
          <td>
            <Quota value={debts} />
          </td>
          {after && <td />}
        </tr>
      )}
    </Sheet>
  );
}

/** Sums may differ for a reason that is known, and all is well. */
function verdictOf({ mode, ok, before, after }: ImportReport): string {
  if (mode === 'dry-run') return import_dry_note();
  if (!ok) return import_unequal();
  if (sums.every(([name]) => after?.[name] === before[name])) return import_equal();
  return mode === 'delta' ? import_short() : import_waits();
}

/** What an import did, or would do. */
export function ReportView({ report, at }: { report: ImportReport; at: number }) {
  const { product, mode, ok, remarks, left } = report;
  const stays = Object.entries(left);
  return (
    <section aria-label={titles[mode]()} className="card mt-3 flex max-w-4xl flex-col gap-4 p-4">
      <div>
        <h2 className="font-semibold text-base">{titles[mode]()}</h2>
        <p className="text-muted">
          {import_product({ product })} · <Time seconds={at} />
        </p>
      </div>
      <Alert tone={ok ? 'info' : 'bad'}>{verdictOf(report)}</Alert>
      <Counts report={report} />
      <Sums report={report} />
      {remarks.length > 0 && (
        <section aria-label={import_remarks()}>
          <h3 className="mb-1 font-medium">{import_remarks()}</h3>
          <ul className="flex flex-col gap-1.5">
            {remarks.map(({ kind, meaning, count, examples }) => (
              <li key={`${kind}${meaning}`} className="break-words">
                <details>
                  <summary className="leading-6">
                    {kindLabels[kind]()} · {meaning} <span className="text-muted tabular-nums">× {formatUnits(count)}</span>
                  </summary>
                  <p className="mt-1 ml-4 text-muted">{examples.join(' · ')}</p>
                </details>
              </li>
            ))}
          </ul>
        </section>
      )}
      {stays.length > 0 && (
        <p className="break-words text-muted">
          {import_left()}: {stays.map(([table, rows]) => `${table} (${formatUnits(rows)})`).join(', ')}
        </p>
      )}
    </section>
  );
}
