import {
  second_code,
  second_code_missing,
  totp_disable,
  totp_disable_text,
  totp_disable_title,
  totp_disabled,
} from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { useTotpDisable } from './queries.ts';

/** Switches two-step verification off, by a code. */
export function TotpOff({ onClose }: { onClose(): void }) {
  const disable = useTotpDisable();
  const form = useSmallForm({ code: '' }, ({ code }) => ({ code: code.trim() === '' ? second_code_missing() : undefined }));
  const submit = form.submit(({ code }) =>
    disable.mutate(code.trim(), {
      onSuccess() {
        notify('ok', totp_disabled());
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={totp_disable_title()}
      description={totp_disable_text()}
      onClose={onClose}
      submitLabel={totp_disable()}
      tone="bad"
      onSubmit={submit}
      pending={disable.isPending}
      error={disable.error}
    >
      <Field label={second_code()} error={form.errors.code}>
        {(control) => (
          <input
            {...control}
            {...form.field('code')}
            className="control tabular-nums"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={32}
          />
        )}
      </Field>
    </FormDialog>
  );
}
