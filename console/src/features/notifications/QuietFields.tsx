import { notify_quiet, notify_quiet_from, notify_quiet_hint, notify_quiet_until } from '../../i18n/generated/messages.ts';
import { Field, SwitchField } from '../../ui/Field.tsx';
import type { NotifyForm } from './useNotifyForm.ts';

/** When nothing but what is urgent is sent. */
export function QuietFields({ state: { form, choices, choose } }: { state: NotifyForm }) {
  const time = (name: 'quietFrom' | 'quietUntil', label: string) => (
    <Field label={label} error={form.errors[name]}>
      {(control) => <input {...control} {...form.field(name)} type="time" className="control w-32" />}
    </Field>
  );
  return (
    <div>
      <SwitchField
        label={notify_quiet()}
        hint={notify_quiet_hint({ timezone: choices.timezone })}
        checked={choices.isQuiet}
        onChange={(isQuiet) => choose({ isQuiet })}
      />
      {choices.isQuiet && (
        <div className="mt-2 flex flex-wrap gap-3">
          {time('quietFrom', notify_quiet_from())}
          {time('quietUntil', notify_quiet_until())}
        </div>
      )}
    </div>
  );
}
