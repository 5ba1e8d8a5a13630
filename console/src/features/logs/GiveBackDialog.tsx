import type { Receipt } from '@tollgate/contract';
import { useMoney } from '../../api/status.ts';
import {
  giveback,
  giveback_amount,
  giveback_done,
  giveback_invalid,
  giveback_reason,
  giveback_reason_hint,
  giveback_reason_missing,
  giveback_text,
  giveback_title,
} from '../../i18n/generated/messages.ts';
import { formatQuota, parseQuota, quotaToInput } from '../../lib/money.ts';
import { Field } from '../../ui/Field.tsx';
import { AmountInput } from '../../ui/form/AmountField.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { useGiveBack } from './queries.ts';

/** Gives the charge of a call back, or a part of it. What is sent is how much of it that makes in all, so that no press counts twice. */
export function GiveBackDialog({ receipt, onClose }: { receipt: Receipt; onClose(): void }) {
  const { log_id: logId, collected, refunded = 0 } = receipt;
  const rest = collected - refunded;
  const back = useGiveBack(logId);
  const format = useMoney();
  const text = (quota: number) => formatQuota(quota, format, 6);
  const form = useSmallForm({ amount: quotaToInput(rest, format), reason: '' }, ({ amount, reason }) => {
    const quota = parseQuota(amount, format) ?? 0;
    return {
      amount: quota < 1 || quota > rest ? giveback_invalid({ rest: text(rest) }) : undefined,
      reason: reason.trim() === '' ? giveback_reason_missing() : undefined,
    };
  });
  const submit = form.submit(({ amount, reason }) => {
    const quota = parseQuota(amount, format) ?? 0;
    const done = () => {
      notify('ok', giveback_done({ amount: text(quota) }));
      onClose();
    };
    // Where nothing is left of the charge the dialog is gone by then.
    back.mutateAsync({ refunded: refunded + quota, reason: reason.trim() }).then(done, () => undefined);
  });
  return (
    <FormDialog
      title={giveback_title()}
      description={giveback_text({ charged: text(collected), refunded: text(refunded) })}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={giveback()}
      onSubmit={submit}
      pending={back.isPending}
      error={back.error}
    >
      <Field label={giveback_amount()} error={form.errors.amount} required>
        {(control) => <AmountInput {...control} {...form.field('amount')} format={format} />}
      </Field>
      <Field label={giveback_reason()} error={form.errors.reason} hint={giveback_reason_hint()} required>
        {(control) => (
          <input {...control} {...form.field('reason')} data-autofocus className="control" autoComplete="off" maxLength={200} />
        )}
      </Field>
    </FormDialog>
  );
}
