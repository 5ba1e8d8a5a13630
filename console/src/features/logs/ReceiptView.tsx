import { useQuery } from '@tanstack/react-query';
import type { Receipt, ReceiptLine } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { useMoney } from '../../api/status.ts';
import {
  giveback_so_far,
  quota_units,
  receipt_amount,
  receipt_anomaly,
  receipt_check,
  receipt_collected,
  receipt_counted_by,
  receipt_hmac,
  receipt_hmac_copy,
  receipt_model,
  receipt_model_text,
  receipt_none,
  receipt_part,
  receipt_part_seconds,
  receipt_part_units,
  receipt_pictures,
  receipt_ratio,
  receipt_rounding_half_up,
  receipt_rounding_minimum,
  receipt_rounding_none,
  receipt_shortfall,
  receipt_source_counted,
  receipt_source_estimated,
  receipt_source_none,
  receipt_source_upstream,
  receipt_special,
  receipt_state_forged,
  receipt_state_ok,
  receipt_state_wrong_cost,
  receipt_step_call,
  receipt_step_ratios,
  receipt_step_rounding,
  receipt_step_sum,
  receipt_surcharge,
  receipt_title,
  receipt_weight,
} from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits } from '../../lib/money.ts';
import { Badge } from '../../ui/Badge.tsx';
import { BillHead } from '../../ui/BillHead.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { partNames } from './parts.ts';
import { receiptQuery } from './queries.ts';
import { ReadPart } from './ReadPart.tsx';
import { grouped, servedText, sumOf, tierText, toolsText, weightOf } from './receipt.ts';

const roundings = { none: receipt_rounding_none, half_up: receipt_rounding_half_up, minimum: receipt_rounding_minimum };
const sources = {
  upstream: receipt_source_upstream,
  counted: receipt_source_counted,
  estimated: receipt_source_estimated,
  none: receipt_source_none,
};

/** A fixed price is multiplied by how many, how large and how good what was asked for is. */
function nameOf({ per_second: perSecond }: Receipt, { part, amount }: ReceiptLine): string {
  if (perSecond) return receipt_part_seconds();
  return part === 'calls' && amount !== '1' ? receipt_part_units() : partNames[part]();
}

function Lines({ receipt }: { receipt: Receipt }) {
  return (
    <table className="bill tabular-nums" aria-label={receipt_title()}>
      <BillHead heads={[receipt_part(), receipt_amount(), receipt_ratio(), receipt_weight()]} />
      <tbody>
        {receipt.lines.map((line) => (
          <tr key={line.part}>
            <td>{nameOf(receipt, line)}</td>
            <td>{grouped(line.amount)}</td>
            <td>× {line.ratio}</td>
            <td>{grouped(weightOf(line))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Step({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words tabular-nums max-sm:mb-1">{children}</dd>
    </>
  );
}

/** From the sum of the parts to what was collected, each step written out. */
function Arithmetic({ receipt }: { receipt: Receipt }) {
  const format = useMoney();
  const { kind, lines, group_ratio: group, exact, cost, collected, shortfall, refunded } = receipt;
  const sum = grouped(sumOf(lines));
  const amount = (quota: number) => {
    const units = quota_units({ units: formatUnits(quota) });
    return format.inCurrency ? `${formatQuota(quota, format, 6)} (${units})` : units;
  };
  const perDollar = formatUnits(receipt.quota_per_unit);
  const base = kind === 'call' ? `$${receipt.call_price} × ${perDollar}` : receipt.model_ratio;
  const factors = [base, group, receipt.surcharge, receipt.service_tier_ratio].filter(Boolean).join(' × ');
  return (
    <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 max-sm:grid-cols-1 max-sm:gap-y-0">
      {kind === 'token' && (
        <Step name={receipt_step_sum()}>
          {lines.map((line) => grouped(weightOf(line))).join(' + ')} = {sum}
        </Step>
      )}
      <Step name={kind === 'call' ? receipt_step_call() : receipt_step_ratios()}>
        {sum} × {factors}
        {toolsText(receipt, (dollars) => `$${dollars} / 1000 × ${perDollar}`)} = {grouped(exact)}
      </Step>
      <Step name={receipt_step_rounding()}>
        {grouped(exact)} → <strong>{formatUnits(cost)}</strong>{' '}
        <span className="text-muted">{roundings[receipt.rounding]()}</span>
      </Step>
      <Step name={receipt_collected()}>
        <strong>{amount(collected)}</strong>
      </Step>
      {refunded !== undefined && <Step name={giveback_so_far()}>{amount(refunded)}</Step>}
      {shortfall > 0 && <Step name={receipt_shortfall()}>{amount(shortfall)}</Step>}
    </dl>
  );
}

function State({ receipt }: { receipt: Receipt }) {
  const { state, recomputed } = receipt;
  if (state === 'ok') return <Badge tone="ok">{receipt_state_ok()}</Badge>;
  const text = state === 'forged' ? receipt_state_forged() : receipt_state_wrong_cost({ units: formatUnits(recomputed) });
  return <Badge tone="bad">{text}</Badge>;
}

function Origin({ receipt }: { receipt: Receipt }) {
  const { model, group, price_version: version, hmac } = receipt;
  const tier = tierText(receipt);
  const counted = [sources[receipt.usage_source](), ...(receipt.usage_anomaly ? [receipt_anomaly()] : [])];
  const { pictures_asked: asked, pictures_delivered: delivered = 0 } = receipt;
  if (asked !== undefined) counted.push(receipt_pictures({ asked, delivered }));
  const priced = [
    receipt_model_text({ model, group, version }),
    ...(receipt.special_group ? [receipt_special()] : []),
    ...(receipt.surcharge === '' ? [] : [receipt_surcharge({ ratio: receipt.surcharge })]),
    ...[servedText(receipt), tier].filter(Boolean),
  ];
  return (
    <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 max-sm:grid-cols-1 max-sm:gap-y-0">
      <Step name={receipt_model()}>{priced.join(' · ')}</Step>
      <Step name={receipt_counted_by()}>{counted.join(' · ')}</Step>
      <Step name={receipt_check()}>
        <State receipt={receipt} />
      </Step>
      <Step name={receipt_hmac()}>
        <span className="flex items-center gap-1">
          <code className="break-all text-xs">{hmac}</code>
          <CopyButton text={hmac} label={receipt_hmac_copy()} />
        </span>
      </Step>
    </dl>
  );
}

/** Why a call cost what it cost: every factor of its receipt, and whether the receipt still holds. */
export function ReceiptView({ logId }: { logId: number }) {
  return (
    <ReadPart query={useQuery(receiptQuery(logId))} none={receipt_none()}>
      {(receipt) => (
        <section className="min-w-0" aria-label={receipt_title()}>
          <h2 className="mb-1 font-semibold text-sm">{receipt_title()}</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <div tabIndex={0} className="overflow-x-auto">
            <Lines receipt={receipt} />
          </div>
          <Arithmetic receipt={receipt} />
          <Origin receipt={receipt} />
        </section>
      )}
    </ReadPart>
  );
}
