import type { ReactNode } from 'react';
import { useMoney } from '../../api/status.ts';
import {
  policy_backup,
  policy_backup_hint,
  policy_concurrency,
  policy_day,
  policy_draw,
  policy_host,
  policy_host_hint,
  policy_image,
  policy_image_custom,
  policy_image_default,
  policy_image_origin,
  policy_image_proxy,
  policy_limits,
  policy_limits_hint,
  policy_mode,
  policy_mode_default,
  policy_mode_fast,
  policy_mode_relax,
  policy_mode_turbo,
  policy_month,
  policy_none,
  policy_rate,
  policy_rate_count,
  policy_rate_hint,
  policy_rate_message,
  policy_rate_message_hint,
  policy_rate_period,
  policy_rpd,
  policy_rpm,
  policy_strict,
  policy_strict_hint,
  policy_tpm,
} from '../../i18n/generated/messages.ts';
import { formatQuota, parseQuota } from '../../lib/money.ts';
import { Field, SwitchField } from '../../ui/Field.tsx';
import { Pair } from '../../ui/form/Section.tsx';
import { countFields, moneyFields, type PolicyField } from './policy.ts';
import type { TokenForm } from './sections.tsx';

interface Props {
  form: TokenForm;
}
type TextField = Exclude<PolicyField, 'rateOn' | 'backup' | 'strict' | 'mjMode' | 'mjImage'>;

const labels: Record<(typeof countFields)[number] | (typeof moneyFields)[number], () => string> = {
  rpm: policy_rpm,
  tpm: policy_tpm,
  rpd: policy_rpd,
  concurrency: policy_concurrency,
  quotaDay: policy_day,
  quotaMonth: policy_month,
};

function Group({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-semibold">{title}</legend>
      {hint && <p className="-mt-1 text-muted text-xs">{hint}</p>}
      {children}
    </fieldset>
  );
}

interface InputProps extends Props {
  name: TextField;
  label: string;
  hint?: string;
  placeholder?: string;
  numeric?: boolean;
  maxLength?: number;
}

function Input({ form, name, label, hint, placeholder, numeric, maxLength = 24 }: InputProps) {
  return (
    <Field label={label} hint={hint} error={form.formState.errors[name]?.message}>
      {(control) => (
        <input
          {...control}
          {...form.register(name)}
          className="control tabular-nums"
          inputMode={numeric ? 'decimal' : undefined}
          autoComplete="off"
          placeholder={placeholder}
          maxLength={maxLength}
        />
      )}
    </Field>
  );
}

/** An amount, and what was typed in dollars. */
function MoneyInput({ form, name, label }: Props & { name: (typeof moneyFields)[number]; label: string }) {
  const format = useMoney();
  const quota = parseQuota(form.watch(name), format);
  const hint = quota ? formatQuota(quota, { ...format, inCurrency: true }) : undefined;
  return <Input form={form} name={name} label={label} hint={hint} placeholder={policy_none()} numeric />;
}

/** How much may be asked for. */
export function Limits({ form }: Props) {
  return (
    <Group title={policy_limits()} hint={policy_limits_hint()}>
      <Pair>
        {countFields.map((name) => (
          <Input key={name} form={form} name={name} label={labels[name]()} placeholder={policy_none()} numeric maxLength={10} />
        ))}
        {moneyFields.map((name) => (
          <MoneyInput key={name} form={form} name={name} label={labels[name]()} />
        ))}
      </Pair>
    </Group>
  );
}

/** So many calls in any so many seconds. */
export function Rate({ form }: Props) {
  const on = form.watch('rateOn');
  return (
    <div className="flex flex-col gap-3">
      <SwitchField
        label={policy_rate()}
        hint={policy_rate_hint()}
        checked={on}
        onChange={(checked) => {
          form.setValue('rateOn', checked, { shouldDirty: true });
          form.clearErrors(['rateCount', 'ratePeriod']);
        }}
      />
      {on && (
        <>
          <Pair>
            <Input form={form} name="rateCount" label={policy_rate_count()} placeholder="60" numeric maxLength={10} />
            <Input form={form} name="ratePeriod" label={policy_rate_period()} placeholder="60" numeric maxLength={10} />
          </Pair>
          <Input form={form} name="rateMessage" label={policy_rate_message()} hint={policy_rate_message_hint()} maxLength={255} />
        </>
      )}
    </div>
  );
}

export function Switches({ form }: Props) {
  return (
    <div className="flex flex-col gap-3">
      <SwitchField
        label={policy_backup()}
        hint={policy_backup_hint()}
        checked={form.watch('backup')}
        onChange={(checked) => form.setValue('backup', checked, { shouldDirty: true })}
      />
      <SwitchField
        label={policy_strict()}
        hint={policy_strict_hint()}
        checked={form.watch('strict')}
        onChange={(checked) => form.setValue('strict', checked, { shouldDirty: true })}
      />
    </div>
  );
}

/** Mode and image addresses of drawing calls. */
export function Drawing({ form }: Props) {
  return (
    <Group title={policy_draw()}>
      <Pair>
        <Field label={policy_mode()}>
          {(control) => (
            <select {...control} {...form.register('mjMode')} className="control">
              <option value="">{policy_mode_default()}</option>
              <option value="fast">{policy_mode_fast()}</option>
              <option value="relax">{policy_mode_relax()}</option>
              <option value="turbo">{policy_mode_turbo()}</option>
            </select>
          )}
        </Field>
        <Field label={policy_image()}>
          {(control) => (
            <select {...control} {...form.register('mjImage')} className="control">
              <option value="">{policy_image_default()}</option>
              <option value="origin">{policy_image_origin()}</option>
              <option value="proxy">{policy_image_proxy()}</option>
              <option value="custom">{policy_image_custom()}</option>
            </select>
          )}
        </Field>
      </Pair>
      {form.watch('mjImage') === 'custom' && (
        <Input
          form={form}
          name="mjHost"
          label={policy_host()}
          hint={policy_host_hint()}
          placeholder="https://images.example.com"
          maxLength={255}
        />
      )}
    </Group>
  );
}
