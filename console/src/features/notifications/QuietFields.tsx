import { notify_quiet, notify_quiet_from, notify_quiet_hint, notify_quiet_until } from '../../i18n/generated/messages.ts';
import { Field, SwitchField } from '../../ui/Field.tsx';
import type { QuietDraft } from './model.ts';

/** When nothing but what is urgent is sent. */
export function QuietFields({ value, onChange }: { value: QuietDraft; onChange(value: QuietDraft): void }) {
  const time = (name: 'start' | 'end', label: string) => (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="time"
          className="control w-32"
          value={value[name]}
          onChange={(event) => onChange({ ...value, [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <div>
      <SwitchField
        label={notify_quiet()}
        hint={notify_quiet_hint({ timezone: value.timezone })}
        checked={value.on}
        onChange={(on) => onChange({ ...value, on })}
      />
      {value.on && (
        <div className="mt-2 flex flex-wrap gap-3">
          {time('start', notify_quiet_from())}
          {time('end', notify_quiet_until())}
        </div>
      )}
    </div>
  );
}
