import type { InboxEntry } from '@tollgate/contract';
import {
  payment_foreign,
  payment_foreign_done,
  payment_foreign_invalid,
  payment_foreign_money,
  payment_foreign_text,
  payment_foreign_title,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';
import { parseCents } from '../../ui/payment/cents.ts';
import { useForeignRefund } from './queries.ts';

const formId = 'payment-refund';

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
    <Dialog
      title={payment_foreign_title()}
      description={payment_foreign_text({ detail: entry.detail })}
      onClose={onClose}
      dirty={form.dirty}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={formId} tone="bad" pending={refund.isPending}>
            {payment_foreign()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3.5">
        <SaveFault error={refund.error} />
        <Field label={payment_foreign_money()} error={form.errors.money} required>
          {(control) => (
            <input
              {...control}
              {...form.field('money')}
              data-autofocus
              className="control"
              inputMode="decimal"
              autoComplete="off"
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
