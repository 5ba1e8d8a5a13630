import { createContext, use } from 'react';
import { useMoney } from '../api/status.ts';
import { quota_units } from '../i18n/generated/messages.ts';
import { formatQuota, formatUnits, type MoneyFormat } from '../lib/money.ts';

/** How a table writes its amounts: found out once for all of them. */
export const TableMoney = createContext<MoneyFormat | undefined>(undefined);

interface Props {
  value: number;
  digits?: number;
}

function Amount({ value, digits = 2, format }: Props & { format: MoneyFormat }) {
  return (
    <span className="whitespace-nowrap tabular-nums" data-tip={quota_units({ units: formatUnits(value) })}>
      {formatQuota(value, format, digits)}
    </span>
  );
}

function LoneAmount(props: Props) {
  return <Amount {...props} format={useMoney()} />;
}

/** An amount of quota in the site's unit; the raw units in the tooltip. */
export function Quota(props: Props) {
  const format = use(TableMoney);
  return format ? <Amount {...props} format={format} /> : <LoneAmount {...props} />;
}
