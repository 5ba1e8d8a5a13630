import type { OptionRow } from '@tollgate/contract';
import {
  settings_secret_clear,
  settings_secret_cleared,
  settings_secret_keep,
  settings_secret_keep_it,
  settings_secret_set,
  settings_secret_unset,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { TextButton } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';

interface Props {
  label: string;
  hint?: string;
  row: OptionRow;
  /** "" while it is not touched, or to be cleared. */
  text: string;
  error?: string;
  /** It is to be cleared. */
  cleared?: boolean;
  set(text: string | undefined): void;
}

/** A secret is written, never read: what is here is what will be stored instead. */
export function SecretField({ label, hint, row, text, error, cleared, set }: Props) {
  const isSet = row.is_set === true;
  const state = isSet ? <Badge tone="ok">{settings_secret_set()}</Badge> : <Badge>{settings_secret_unset()}</Badge>;
  return (
    <Field
      label={label}
      hint={cleared ? settings_secret_cleared() : hint}
      error={error}
      aside={
        <span className="flex items-center gap-2">
          {isSet && (
            <TextButton onClick={() => set(cleared ? undefined : '')}>
              {cleared ? settings_secret_keep_it() : settings_secret_clear()}
            </TextButton>
          )}
          {state}
        </span>
      }
    >
      {(field) => (
        <input
          {...field}
          type="password"
          className="control"
          autoComplete="new-password"
          spellCheck={false}
          maxLength={2000}
          placeholder={isSet ? settings_secret_keep() : undefined}
          disabled={cleared}
          value={text}
          onChange={(event) => set(event.currentTarget.value || undefined)}
        />
      )}
    </Field>
  );
}
