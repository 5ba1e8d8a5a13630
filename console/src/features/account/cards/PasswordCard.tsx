import {
  account_password,
  account_password_text,
  password_change_done,
  password_change_submit,
  password_new,
  password_repeat,
  password_rule,
} from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Field } from '../../../ui/Field.tsx';
import { PasswordInput } from '../../../ui/form/PasswordInput.tsx';
import { SaveFault } from '../../../ui/form/SaveFault.tsx';
import { useGuard } from '../../../ui/form/useGuard.ts';
import { useSmallForm } from '../../../ui/form/useSmallForm.ts';
import { notify } from '../../../ui/notify.ts';
import { newPasswordFaults } from '../../../ui/signin/rules.ts';
import { ProofField } from '../ProofField.tsx';
import { usePasswordChange } from '../queries.ts';

const empty = { original: '', password: '', password2: '' };

export function PasswordCard() {
  const change = usePasswordChange();
  const form = useSmallForm(empty, (values) => newPasswordFaults(values));
  // Not for the old one, which browsers fill in by themselves.
  useGuard(form.values.password !== '');
  const submit = form.submit((values) =>
    change.mutate(values, {
      onSuccess() {
        form.reset(empty);
        notify('ok', password_change_done());
      },
    }),
  );
  return (
    <Card title={account_password()} text={account_password_text()}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <SaveFault error={change.error} />
        <ProofField input={form.field('original')} />
        <Field label={password_new()} hint={password_rule()} error={form.errors.password}>
          {(control) => <PasswordInput {...control} {...form.field('password')} autoComplete="new-password" />}
        </Field>
        <Field label={password_repeat()} error={form.errors.password2}>
          {(control) => <PasswordInput {...control} {...form.field('password2')} autoComplete="new-password" />}
        </Field>
        <Button type="submit" className="self-end" pending={change.isPending}>
          {password_change_submit()}
        </Button>
      </form>
    </Card>
  );
}
