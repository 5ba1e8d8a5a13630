import type { InboxEntry } from '@tollgate/contract';
import {
  payment_foreign,
  payment_foreign_done,
  payment_foreign_invalid,
  payment_foreign_money,
  payment_foreign_text,
  payment_foreign_title,
} from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { parseCents } from '../../ui/payment/cents.ts';
import { useForeignRefund } from './queries.ts';

/** Asks what a refund in another currency was of its payment. */
export function RefundDialog({ entry, onClose }: { entry: InboxEntry; onClose(): void }) {
  const refund = useForeignRefund();
  const form = useSmallForm({ money: '' }, ({ money }) => ({
    money: parseCents(money) === undefined ? payment_foreign_invalid() : undefined,
  }));
  const submit = form.submit(({ money }) => {
    if (refund.isPending) return;
    const onSuccess = () => {
      notify('ok', payment_foreign_done());
      onClose();
    };
    refund.mutate({ id: entry.id, cents: parseCents(money) ?? 0 }, { onSuccess });
  });
  return (
    <FormDialog
      title={payment_foreign_title()}
      description={payment_foreign_text({ detail: entry.detail })}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={payment_foreign()}
      tone="bad"
      onSubmit={submit}
      pending={refund.isPending}
      error={refund.error}
    >
      <Field label={payment_foreign_money()} error={form.errors.money} required>
        {(control) => <input {...control} {...form.field('money')} className="control" inputMode="decimal" autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}
