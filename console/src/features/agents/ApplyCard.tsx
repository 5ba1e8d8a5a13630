import type { AgentSelf } from '@tollgate/contract';
import {
  agent_apply,
  agent_apply_again,
  agent_apply_done,
  agent_apply_text,
  agent_apply_title,
  agent_contact_email,
  agent_contact_missing,
  agent_contact_name,
  agent_contact_name_missing,
  agent_contact_phone,
  agent_contact_remark,
  agent_contact_remark_hint,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Field } from '../../ui/Field.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { Pair } from '../../ui/form/Section.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { useApplication } from './queries.ts';

type Values = Record<'contact_name' | 'contact_phone' | 'contact_email' | 'remark', string>;

function faultsOf({ contact_name, contact_phone, contact_email }: Values): Partial<Values> {
  const reachable = contact_phone.trim() !== '' || contact_email.trim() !== '';
  return {
    ...(contact_name.trim() === '' ? { contact_name: agent_contact_name_missing() } : {}),
    ...(reachable ? {} : { contact_phone: agent_contact_missing() }),
  };
}

/** Asks to become an agent; after a rejection with what was said the last time. */
export function ApplyCard({ before }: { before?: AgentSelf }) {
  const apply = useApplication();
  const { contact_name = '', contact_phone = '', contact_email = '', remark = '' } = before ?? {};
  const form = useSmallForm<keyof Values>({ contact_name, contact_phone, contact_email, remark }, faultsOf);
  useGuard(form.dirty);
  const submit = form.submit((values) => {
    if (!apply.isPending) apply.mutate(values, { onSuccess: () => notify('ok', agent_apply_done()) });
  });
  const line = (name: keyof Values, label: string, more: { type?: string; autoComplete: string; required?: boolean }) => (
    <Field label={label} error={form.errors[name]} required={more.required}>
      {(control) => (
        <input
          {...control}
          {...form.field(name)}
          className="control"
          type={more.type}
          autoComplete={more.autoComplete}
          maxLength={64}
        />
      )}
    </Field>
  );
  return (
    <div className="max-w-2xl">
      <Card title={agent_apply_title()} text={agent_apply_text()}>
        <form noValidate onSubmit={submit} className="flex flex-col gap-3.5">
          <SaveFault error={apply.error} />
          {line('contact_name', agent_contact_name(), { autoComplete: 'name', required: true })}
          <Pair>
            {line('contact_phone', agent_contact_phone(), { type: 'tel', autoComplete: 'tel' })}
            {line('contact_email', agent_contact_email(), { type: 'email', autoComplete: 'email' })}
          </Pair>
          <Field label={agent_contact_remark()} hint={agent_contact_remark_hint()}>
            {(control) => <textarea {...control} {...form.field('remark')} className="control" rows={3} maxLength={500} />}
          </Field>
          <div className="flex justify-end">
            <Button type="submit" tone="primary" pending={apply.isPending}>
              {before ? agent_apply_again() : agent_apply()}
            </Button>
          </div>
        </form>
      </Card>
    </div>
  );
}
