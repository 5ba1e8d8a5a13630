import { useMoney } from '../api/status.ts';
import { quota_units } from '../i18n/generated/messages.ts';
import { formatQuota, formatUnits } from '../lib/money.ts';

/** An amount of quota in the site's unit; the raw units in the tooltip. */
export function Quota({ value, digits = 2 }: { value: number; digits?: number }) {
  const format = useMoney();
  return (
    <span className="tabular-nums" data-tip={quota_units({ units: formatUnits(value) })}>
      {formatQuota(value, format, digits)}
    </span>
  );
}
