import { useMoney } from '../../api/status.ts';
import { quota_equals, quota_input_hint, quota_input_hint_units } from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits, parseQuota, quotaToInput } from '../../lib/money.ts';
import { Chips } from '../Chips.tsx';
import { Field } from '../Field.tsx';
import { AmountInput } from './AmountField.tsx';

interface Props {
  label: string;
  /** By which `useSmallForm` finds it when it is the first fault. */
  name?: string;
  value: string;
  /** What it was: the difference is what will be booked. */
  was?: number;
  onChange(value: string): void;
  onBlur?(): void;
  error?: string;
  disabled?: boolean;
}

const presetDollars = [1, 10, 50, 100, 500, 1000];

/** An amount as people type it, what it comes to, and the usual amounts one press away. */
export function QuotaField({ label, name, value, was, onChange, onBlur, error, disabled }: Props) {
  const format = useMoney();
  const quota = parseQuota(value, format);
  const dollars = (amount: number) => formatQuota(amount, { ...format, inCurrency: true }, 2);
  const change = quota === undefined || was === undefined ? 0 : quota - was;
  const equals =
    quota !== undefined &&
    quota_equals({ units: formatUnits(quota), money: dollars(quota) }) +
      (change === 0 ? '' : ` (${change > 0 ? '+' : ''}${dollars(change)})`);
  return (
    <div>
      <Field label={label} error={error} hint={equals || (format.inCurrency ? quota_input_hint() : quota_input_hint_units())}>
        {(control) => (
          <AmountInput
            {...control}
            format={format}
            name={name}
            value={value}
            disabled={disabled}
            onChange={(event) => onChange(event.currentTarget.value.replace(/^\$/, ''))}
            onBlur={onBlur}
          />
        )}
      </Field>
      <Chips
        values={presetDollars}
        textOf={(preset) => `$${formatUnits(preset)}`}
        disabled={disabled}
        onChoose={(preset) => onChange(quotaToInput(preset * format.quotaPerUnit, format))}
      />
    </div>
  );
}
