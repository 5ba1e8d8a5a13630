import { useMoney } from '../../api/status.ts';
import {
  invite_pending,
  invite_transfer,
  invite_transfer_all,
  invite_transfer_amount,
  invite_transfer_done,
  invite_transfer_title,
} from '../../i18n/generated/messages.ts';
import { parseQuota, quotaToInput } from '../../lib/money.ts';
import { AmountField } from '../form/AmountField.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { useSmallForm } from '../form/useSmallForm.ts';
import { notify } from '../notify.ts';
import { Quota } from '../Quota.tsx';
import { transferFault, useInviteTransfer } from './transfer.ts';

/** Moves pending invite earnings to the balance: all of them, unless less is typed. */
export function TransferDialog({ pending, onClose }: { pending: number; onClose(): void }) {
  const format = useMoney();
  const transfer = useInviteTransfer();
  const all = quotaToInput(pending, format);
  const form = useSmallForm({ amount: all }, ({ amount }) => ({ amount: transferFault(amount, pending, format) }));
  const submit = form.submit(({ amount }) =>
    transfer.mutate(parseQuota(amount, format) ?? 0, {
      onSuccess() {
        notify('ok', invite_transfer_done());
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={invite_transfer_title()}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={invite_transfer()}
      onSubmit={submit}
      pending={transfer.isPending}
      error={transfer.error}
    >
      <p className="text-muted">
        {invite_pending()} <Quota value={pending} />
      </p>
      <AmountField
        label={invite_transfer_amount()}
        input={form.field('amount')}
        format={format}
        error={form.errors.amount}
        all={{ label: invite_transfer_all(), fill: () => form.set('amount', all) }}
      />
    </FormDialog>
  );
}
