import { textOf } from '../../api/errors.ts';
import {
  second_code,
  second_code_missing,
  totp_disable,
  totp_disable_text,
  totp_disable_title,
  totp_disabled,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';
import { useTotpDisable } from './queries.ts';

const formId = 'totp-off';

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
    <Dialog
      title={totp_disable_title()}
      description={totp_disable_text()}
      onClose={onClose}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={formId} tone="bad" pending={disable.isPending}>
            {totp_disable()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3">
        {disable.error && <Alert tone="bad">{textOf(disable.error)}</Alert>}
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
      </form>
    </Dialog>
  );
}
