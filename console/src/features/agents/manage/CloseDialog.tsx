import type { AgentWithdrawal } from '@tollgate/contract';
import {
  agent_reason,
  agent_reference,
  agents_pay_done,
  agents_pay_sure,
  agents_pay_text,
  agents_pay_title,
  agents_reason_hint,
  agents_reason_missing,
  agents_reference_hint,
  agents_reference_missing,
  agents_reject,
  agents_withdrawal_reject_done,
  agents_withdrawal_reject_text,
  agents_withdrawal_reject_title,
} from '../../../i18n/generated/messages.ts';
import { Field } from '../../../ui/Field.tsx';
import { FormDialog } from '../../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../../ui/form/useSmallForm.ts';
import { notify } from '../../../ui/notify.ts';
import { WithdrawalDetail } from '../columns.tsx';
import { money } from '../model.ts';
import { useManagement } from '../queries.ts';

interface Props {
  row: AgentWithdrawal;
  action: 'pay' | 'reject';
  onClose(): void;
}

/** Ends a withdrawal: with the reference of a payout that was made, or with the reason why there is none. */
export function CloseDialog({ row, action, onClose }: Props) {
  const manage = useManagement();
  const paying = action === 'pay';
  const missing = paying ? agents_reference_missing : agents_reason_missing;
  const form = useSmallForm({ text: '' }, ({ text }) => ({ text: text.trim() === '' ? missing() : undefined }));
  const submit = form.submit(({ text }) => {
    if (manage.isPending) return;
    const onSuccess = () => {
      notify('ok', paying ? agents_pay_done() : agents_withdrawal_reject_done());
      onClose();
    };
    manage.mutate({ id: row.id, action, ...(paying ? { reference: text } : { reason: text }) }, { onSuccess });
  });
  const title = paying
    ? agents_pay_title({ amount: money(row.net), name: row.agent || `#${row.agent_id}` })
    : agents_withdrawal_reject_title({ amount: money(row.amount), name: row.agent || `#${row.agent_id}` });
  return (
    <FormDialog
      title={title}
      description={paying ? agents_pay_text() : agents_withdrawal_reject_text()}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={paying ? agents_pay_sure() : agents_reject()}
      tone={paying ? 'primary' : 'bad'}
      onSubmit={submit}
      pending={manage.isPending}
      error={manage.error}
    >
      {paying && <WithdrawalDetail row={row} />}
      <Field
        label={paying ? agent_reference() : agent_reason()}
        error={form.errors.text}
        hint={paying ? agents_reference_hint() : agents_reason_hint()}
        required
      >
        {(control) => (
          <input {...control} {...form.field('text')} className="control" autoComplete="off" maxLength={paying ? 128 : 500} />
        )}
      </Field>
    </FormDialog>
  );
}
