import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type LogEntry, logType } from '@tollgate/contract';
import { Braces, type LucideIcon, ReceiptText, Undo2, Waypoints } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import { useMoney } from '../../api/status.ts';
import {
  bill_call,
  bill_cut,
  bill_cut_caller,
  bill_cut_counted,
  bill_cut_gateway,
  bill_cut_length,
  bill_cut_quota,
  bill_cut_timeout,
  bill_cut_unknown,
  bill_cut_upstream,
  bill_formula,
  bill_group,
  bill_group_own,
  bill_part,
  bill_part_cost,
  bill_part_price,
  bill_part_tokens,
  bill_seconds,
  bill_test,
  bill_tier,
  bill_title,
  bill_total,
  bill_total_units,
  body_open,
  giveback,
  giveback_so_far,
  nav_route,
  receipt_open,
  receipt_rounding_minimum,
  receipt_shortfall,
  receipt_surcharge,
  route_record,
} from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits, type MoneyFormat } from '../../lib/money.ts';
import { formatPrice } from '../../lib/price.ts';
import { BillHead } from '../../ui/BillHead.tsx';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { part } from '../../ui/part.tsx';
import { type Bill, type BillLine, billingOf, billOfReceipt, billOfRow, costOfLine } from './billing.ts';
import { Facts } from './Facts.tsx';
import { isCharge } from './model.ts';
import { partNames } from './parts.ts';
import { receiptQuery } from './queries.ts';

/** Where a site shows units, all of the arithmetic is in units, unshortened: otherwise dollars would come to units. */
const money = (quota: number, format: MoneyFormat): string =>
  format.inCurrency ? formatQuota(quota, format, 6) : formatUnits(quota);
const price = (quota: number, { inCurrency, quotaPerUnit }: MoneyFormat): string =>
  inCurrency ? formatPrice(quota / quotaPerUnit) : formatUnits(quota);
const pricePerMillion = ({ modelRatio }: Bill, { ratio }: BillLine, format: MoneyFormat): string =>
  price(modelRatio * ratio * 1e6, format);

function Parts({ bill, format }: { bill: Bill; format: MoneyFormat }) {
  return (
    <table className="bill mt-1 tabular-nums">
      <BillHead heads={[bill_part(), bill_part_tokens(), bill_part_price(), bill_part_cost()]} />
      <tbody>
        {bill.lines.map((line) => (
          <tr key={line.part}>
            <td>{partNames[line.part]()}</td>
            <td>{formatUnits(line.amount)}</td>
            <td>{pricePerMillion(bill, line, format)}</td>
            <td>{money(costOfLine(bill, line), format)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formulaText(bill: Bill, format: MoneyFormat): string {
  const { lines, callPrice, perSecond = false, groupRatio: group, surcharge, serviceRatio } = bill;
  const beside = bill.tools?.((dollars) => price((Number(dollars) / 1000) * format.quotaPerUnit, format)) ?? '';
  const pool = [surcharge, serviceRatio].map((ratio) => (ratio === 1 ? '' : ` × ${ratio}`)).join('') + beside;
  if (callPrice !== undefined) {
    const text = perSecond ? bill_seconds : bill_call;
    return text({ price: price(callPrice * format.quotaPerUnit, format), amount: lines[0]?.amount ?? 1, group }) + pool;
  }
  const sum = lines.map((line) => `${formatUnits(line.amount)} / 1M × ${pricePerMillion(bill, line, format)}`).join(' + ');
  return bill_formula({ sum, group }) + pool;
}

function Arithmetic({ bill, format }: { bill: Bill; format: MoneyFormat }) {
  const { groupRatio: ratio, tier, surcharge, served, shortfall, refunded } = bill;
  return (
    <>
      {bill.callPrice === undefined && <Parts bill={bill} format={format} />}
      {tier && <p className="mt-1">{bill_tier({ tier })}</p>}
      <p className="mt-1">{bill.ownGroupRatio ? bill_group_own({ ratio }) : bill_group({ ratio })}</p>
      {surcharge !== 1 && <p className="mt-1">{receipt_surcharge({ ratio: surcharge })}</p>}
      {served !== '' && <p className="mt-1">{served}</p>}
      <p className="mt-1 break-words font-mono text-xs">
        {formulaText(bill, format)} = {money(bill.cost, format)}
        {bill.isLeast && ` (${receipt_rounding_minimum()})`}
      </p>
      {shortfall > 0 && (
        <p className="mt-1">
          {receipt_shortfall()} {money(shortfall, format)}
        </p>
      )}
      {refunded > 0 && (
        <p className="mt-1">
          {giveback_so_far()} {money(refunded, format)}
        </p>
      )}
    </>
  );
}

const cuts: Readonly<Record<string, () => string>> = {
  length: bill_cut_length,
  caller_left: bill_cut_caller,
  upstream_broke_off: bill_cut_upstream,
  timeout: bill_cut_timeout,
  quota: bill_cut_quota,
  gateway: bill_cut_gateway,
};
const cutText = (cut: unknown): string => (cuts[String(cut)] ?? bill_cut_unknown)();

/** By the parts of the receipt, so that it always adds up to what was charged; else nothing but the charge. */
function Charge({ entry }: { entry: LogEntry }) {
  const format = useMoney();
  const { data: receipt, isPending } = useQuery(receiptQuery(entry.id));
  const { cut, callPrice } = billingOf(entry);
  const bill = receipt ? billOfReceipt(receipt) : billOfRow(entry, format.quotaPerUnit);
  // Rows that came in live mode are not read again.
  const paid = receipt ? receipt.collected - (receipt.refunded ?? 0) : entry.quota;
  return (
    <section className="min-w-0">
      <h2 className="font-semibold text-sm">{bill_title()}</h2>
      {isPending ? <span aria-busy className="skeleton w-48" /> : bill && <Arithmetic bill={bill} format={format} />}
      <p className="mt-1 font-medium">
        {format.inCurrency
          ? bill_total({ money: money(paid, format), units: formatUnits(paid) })
          : bill_total_units({ units: formatUnits(paid) })}
      </p>
      {cut !== undefined && (
        <p className="mt-1 max-w-prose">{(callPrice < 0 ? bill_cut_counted : bill_cut)({ reason: cutText(cut) })}</p>
      )}
    </section>
  );
}

const waiting = () => <span className="skeleton w-48" />;
const RouteRecord = part(() => import('./RouteRecord.tsx'), 'RouteRecord', waiting);
const ReceiptView = part(() => import('./ReceiptView.tsx'), 'ReceiptView', waiting);
const BodyView = part(() => import('./BodyView.tsx'), 'BodyView', waiting);

const GiveBackDialog = part(() => import('./GiveBackDialog.tsx'), 'GiveBackDialog');

/** While there is something left of the charge. */
function GiveBack({ logId }: { logId: number }) {
  const { data: receipt } = useQuery(receiptQuery(logId));
  const [open, setOpen] = useState(false);
  if (!receipt || receipt.collected <= (receipt.refunded ?? 0)) return null;
  return (
    <>
      <Button size="sm" icon={Undo2} onClick={() => setOpen(true)}>
        {giveback()}
      </Button>
      {open && <GiveBackDialog receipt={receipt} onClose={() => setOpen(false)} />}
    </>
  );
}

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
  if (open) return <div className="w-full min-w-0">{children}</div>;
  return (
    <Button size="sm" icon={icon} onClick={() => setOpen(true)}>
      {label}
    </Button>
  );
}

/** What opens below a row: the arithmetic of the charge, the attempts, the request id. */
export function LogDetail({ entry }: { entry: LogEntry }) {
  const session = useSession();
  const admin = isAdmin(session);
  const format = useMoney();
  const { wouldCost } = billingOf(entry);
  // A test has neither a receipt nor a route.
  if (wouldCost !== undefined)
    return (
      <>
        <p className="mb-1">{bill_test({ money: money(wouldCost, format) })}</p>
        <Facts entry={entry} admin={admin} />
      </>
    );
  return (
    <div className="flex flex-wrap gap-x-12 gap-y-4">
      {isCharge(entry.type) && <Charge entry={entry} />}
      <Facts entry={entry} admin={admin} />
      <div className="flex w-full min-w-0 flex-wrap gap-x-2 gap-y-4">
        {isCharge(entry.type) && (
          <OnRequest label={receipt_open()} icon={ReceiptText}>
            <ReceiptView logId={entry.id} />
          </OnRequest>
        )}
        {admin && isCharge(entry.type) && <GiveBack logId={entry.id} />}
        {mayHaveBody(entry) && (
          <OnRequest label={body_open()} icon={Braces}>
            <BodyView logId={entry.id} own={entry.user_id === session?.id} />
          </OnRequest>
        )}
        {admin && entry.channel === 0 && entry.type === logType.error && (
          <Link
            to="/route"
            search={{ model: entry.model_name, group: entry.group || undefined, token: entry.token_id || undefined }}
            className={buttonClass('default', 'sm')}
          >
            <Waypoints size={15} aria-hidden className="opacity-85" />
            {nav_route()}
          </Link>
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
