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
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { SaveFault } from '../../../ui/form/SaveFault.tsx';
import { useSmallForm } from '../../../ui/form/useSmallForm.ts';
import { notify } from '../../../ui/notify.ts';
import { CancelButton, Dialog } from '../../../ui/overlay/Dialog.tsx';
import { WithdrawalDetail } from '../columns.tsx';
import { money } from '../model.ts';
import { useManagement } from '../queries.ts';

const formId = 'agent-close';

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
    <Dialog
      title={title}
      description={paying ? agents_pay_text() : agents_withdrawal_reject_text()}
      onClose={onClose}
      dirty={form.dirty}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={formId} tone={paying ? 'primary' : 'bad'} pending={manage.isPending}>
            {paying ? agents_pay_sure() : agents_reject()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3.5">
        <SaveFault error={manage.error} />
        {paying && <WithdrawalDetail row={row} />}
        <Field
          label={paying ? agent_reference() : agent_reason()}
          error={form.errors.text}
          hint={paying ? agents_reference_hint() : agents_reason_hint()}
          required
        >
          {(control) => (
            <input
              {...control}
              {...form.field('text')}
              data-autofocus
              className="control"
              autoComplete="off"
              maxLength={paying ? 128 : 500}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
