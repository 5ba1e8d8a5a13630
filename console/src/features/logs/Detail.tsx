import { type LogEntry, logType } from '@tollgate/contract';
import { Braces, type LucideIcon, ReceiptText, Waypoints } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import { useMoney } from '../../api/status.ts';
import {
  bill_cache,
  bill_cache_write,
  bill_call,
  bill_completion,
  bill_formula,
  bill_group,
  bill_group_own,
  bill_note,
  bill_part,
  bill_part_cost,
  bill_part_price,
  bill_part_tokens,
  bill_prompt,
  bill_title,
  bill_total,
  body_open,
  receipt_open,
  route_record,
} from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits, type MoneyFormat } from '../../lib/money.ts';
import { Button } from '../../ui/Button.tsx';
import { type Billing, type BillingLine, billingLines, billingOf, formulaCost } from './billing.ts';
import { Facts } from './Facts.tsx';
import { isCharge } from './model.ts';

const partNames: Record<BillingLine['part'], () => string> = {
  prompt: bill_prompt,
  cache: bill_cache,
  cacheWrite: bill_cache_write,
  completion: bill_completion,
};
const price = (dollars: number): string => `$${Number(dollars.toPrecision(6))}`;
const money = (quota: number, format: MoneyFormat): string => formatQuota(quota, format, 6);

function Parts({ lines, format }: { lines: readonly BillingLine[]; format: MoneyFormat }) {
  return (
    <table className="bill mt-1 tabular-nums">
      <thead>
        <tr>
          <th scope="col">{bill_part()}</th>
          <th scope="col">{bill_part_tokens()}</th>
          <th scope="col">{bill_part_price()}</th>
          <th scope="col">{bill_part_cost()}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.part}>
            <td>{partNames[line.part]()}</td>
            <td>{formatUnits(line.tokens)}</td>
            <td>{price(line.pricePerMillion)}</td>
            <td>{money(line.cost, format)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formulaText(lines: readonly BillingLine[], billing: Billing): string {
  if (billing.kind === 'call') return bill_call({ price: price(billing.callPrice), group: billing.groupRatio });
  const sum = lines.map((line) => `${formatUnits(line.tokens)} / 1M × ${price(line.pricePerMillion)}`).join(' + ');
  return bill_formula({ sum, group: billing.groupRatio });
}

function Bill({ entry, billing }: { entry: LogEntry; billing: Billing }) {
  const format = useMoney();
  const lines = billing.kind === 'token' ? billingLines(entry, billing, format.quotaPerUnit) : [];
  const computed = formulaCost(lines, billing, format.quotaPerUnit);
  return (
    <section className="min-w-0">
      <h2 className="font-semibold text-sm">{bill_title()}</h2>
      {lines.length > 0 && <Parts lines={lines} format={format} />}
      <p className="mt-1">
        {billing.ownGroupRatio ? bill_group_own({ ratio: billing.groupRatio }) : bill_group({ ratio: billing.groupRatio })}
      </p>
      <p className="mt-1 break-words font-mono text-xs">
        {formulaText(lines, billing)} = {money(computed, format)}
      </p>
      <p className="mt-1 font-medium">{bill_total({ money: money(entry.quota, format), units: formatUnits(entry.quota) })}</p>
      {computed !== entry.quota && <p className="text-muted text-xs">{bill_note()}</p>}
    </section>
  );
}

const RouteRecord = lazy(async () => ({ default: (await import('./RouteRecord.tsx')).RouteRecord }));

const ReceiptView = lazy(async () => ({ default: (await import('./ReceiptView.tsx')).ReceiptView }));

const BodyView = lazy(async () => ({ default: (await import('./BodyView.tsx')).BodyView }));

const mayHaveBody = ({ type, request_id: id }: LogEntry): boolean => id !== '' && (isCharge(type) || type === logType.error);

interface OnRequestProps {
  label: string;
  icon: LucideIcon;
  /** Without being asked for. */
  opened?: boolean;
  children: ReactNode;
}

/** What is asked for by a button, and takes its place. */
function OnRequest({ label, icon, opened = false, children }: OnRequestProps) {
  const [open, setOpen] = useState(opened);
  if (open)
    return (
      <div className="w-full min-w-0">
        <Suspense fallback={<span className="skeleton w-48" />}>{children}</Suspense>
      </div>
    );
  return (
    <Button size="sm" icon={icon} onClick={() => setOpen(true)}>
      {label}
    </Button>
  );
}

/** What opens below a row: the arithmetic of the charge, the attempts, the request id. */
export function LogDetail({ entry }: { entry: LogEntry }) {
  const billing = billingOf(entry);
  const session = useSession();
  const admin = isAdmin(session);
  return (
    <div className="flex flex-wrap gap-x-12 gap-y-4">
      {isCharge(entry.type) && <Bill entry={entry} billing={billing} />}
      <Facts entry={entry} admin={admin} />
      <div className="flex w-full min-w-0 flex-wrap gap-x-2 gap-y-4">
        {isCharge(entry.type) && (
          <OnRequest label={receipt_open()} icon={ReceiptText}>
            <ReceiptView logId={entry.id} />
          </OnRequest>
        )}
        {mayHaveBody(entry) && (
          <OnRequest label={body_open()} icon={Braces}>
            <BodyView logId={entry.id} own={entry.user_id === session?.id} />
          </OnRequest>
        )}
        {admin && entry.channel > 0 && (
          <OnRequest label={route_record()} icon={Waypoints} opened={entry.type === logType.error}>
            <RouteRecord logId={entry.id} />
          </OnRequest>
        )}
      </div>
    </div>
  );
}
