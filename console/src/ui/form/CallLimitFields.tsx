import type { InputHTMLAttributes } from 'react';
import { useMoney } from '../../api/status.ts';
import {
  policy_concurrency,
  policy_day,
  policy_limits,
  policy_month,
  policy_none,
  policy_rpd,
  policy_rpm,
  policy_tpm,
} from '../../i18n/generated/messages.ts';
import { formatQuota, parseQuota } from '../../lib/money.ts';
import { Field } from '../Field.tsx';
import { countFields, type LimitField, moneyFields } from './call-limits.ts';
import { Group, Pair } from './Section.tsx';

const labels: Record<LimitField, () => string> = {
  rpm: policy_rpm,
  tpm: policy_tpm,
  rpd: policy_rpd,
  concurrency: policy_concurrency,
  quotaDay: policy_day,
  quotaMonth: policy_month,
};

/** One field of the form that the limits stand in. */
export interface LimitControl {
  input: InputHTMLAttributes<HTMLInputElement>;
  value: string;
  error?: string;
}

interface Props {
  hint: string;
  field(name: LimitField): LimitControl;
}

function LimitInput({ name, hint, control: { input, error } }: { name: LimitField; hint?: string; control: LimitControl }) {
  return (
    <Field label={labels[name]()} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          {...input}
          className="control tabular-nums"
          inputMode="decimal"
          autoComplete="off"
          placeholder={policy_none()}
          maxLength={24}
        />
      )}
    </Field>
  );
}

/** How much may be asked for: per minute, per day, at the same time, and for how much money. */
export function CallLimitFields({ hint, field }: Props) {
  const format = useMoney();
  const inDollars = (text: string) => {
    const quota = parseQuota(text, format);
    return quota ? formatQuota(quota, { ...format, inCurrency: true }) : undefined;
  };
  return (
    <Group title={policy_limits()} hint={hint}>
      <Pair>
        {countFields.map((name) => (
          <LimitInput key={name} name={name} control={field(name)} />
        ))}
        {moneyFields.map((name) => {
          const control = field(name);
          return <LimitInput key={name} name={name} hint={inDollars(control.value)} control={control} />;
        })}
      </Pair>
    </Group>
  );
}
