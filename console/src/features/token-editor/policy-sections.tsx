import {
  nav_drawing,
  policy_backup,
  policy_backup_hint,
  policy_host,
  policy_host_hint,
  policy_image,
  policy_image_custom,
  policy_image_default,
  policy_image_origin,
  policy_image_proxy,
  policy_limits_hint,
  policy_mode,
  policy_mode_default,
  policy_mode_fast,
  policy_mode_relax,
  policy_mode_turbo,
  policy_rate,
  policy_rate_count,
  policy_rate_hint,
  policy_rate_message,
  policy_rate_message_hint,
  policy_rate_period,
  policy_strict,
  policy_strict_hint,
} from '../../i18n/generated/messages.ts';
import { Field, SwitchField } from '../../ui/Field.tsx';
import { CallLimitFields } from '../../ui/form/CallLimitFields.tsx';
import { Group, Pair } from '../../ui/form/Section.tsx';
import type { PolicyField } from './policy.ts';
import type { TokenForm } from './sections.tsx';

interface Props {
  form: TokenForm;
}
type TextField = Exclude<PolicyField, 'rateOn' | 'backup' | 'strict' | 'mjMode' | 'mjImage'>;

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

/** How much may be asked for with the token. */
export function Limits({ form }: Props) {
  const { errors } = form.formState;
  return (
    <CallLimitFields
      hint={policy_limits_hint()}
      field={(name) => ({ input: form.register(name), value: form.watch(name), error: errors[name]?.message })}
    />
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
    <Group title={nav_drawing()}>
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
