import type { ReversedOrder, TopupOrder } from '@tollgate/contract';
import { useMoney } from '../../api/status.ts';
import {
  payment_reverse,
  payment_reverse_done,
  payment_reverse_partly,
  payment_reverse_reason,
  payment_reverse_reason_hint,
  payment_reverse_reason_missing,
  payment_reverse_text,
  payment_reverse_title,
} from '../../i18n/generated/messages.ts';
import { formatQuota } from '../../lib/money.ts';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { moneyText } from '../../ui/payment/order.ts';
import { useReversal } from './queries.ts';

/** Takes an order back whose money was returned outside: says what that does, and asks why. */
export function ReverseDialog({ order, onClose }: { order: TopupOrder; onClose(): void }) {
  const reversal = useReversal();
  const format = useMoney();
  const form = useSmallForm({ reason: '' }, ({ reason }) => ({
    reason: reason.trim() === '' ? payment_reverse_reason_missing() : undefined,
  }));
  const submit = form.submit(({ reason }) => {
    if (reversal.isPending) return;
    const onSuccess = (back: ReversedOrder) => {
      const [taken, missing] = [formatQuota(back.taken, format), formatQuota(back.missing, format)];
      if (back.missing > 0) notify('warn', payment_reverse_partly({ taken, missing }));
      else notify('ok', payment_reverse_done({ taken }));
      onClose();
    };
    reversal.mutate({ id: order.id, reason }, { onSuccess });
  });
  const title = payment_reverse_title({
    money: moneyText(order.money, order.currency),
    user: order.username || `#${order.user_id}`,
  });
  return (
    <FormDialog
      title={title}
      description={payment_reverse_text()}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={payment_reverse()}
      tone="bad"
      onSubmit={submit}
      pending={reversal.isPending}
      error={reversal.error}
    >
      <Field label={payment_reverse_reason()} error={form.errors.reason} hint={payment_reverse_reason_hint()} required>
        {(control) => <input {...control} {...form.field('reason')} className="control" autoComplete="off" maxLength={500} />}
      </Field>
    </FormDialog>
  );
}
