import { useNavigate } from '@tanstack/react-router';
import { textOf } from '../../api/errors.ts';
import { signOut } from '../../api/sign-out.ts';
import {
  password_change_done,
  password_change_submit,
  password_current,
  password_default_text,
  password_default_title,
  password_new,
  password_repeat,
  password_rule,
  user_logout,
  user_logout_failed,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { changeFaults } from './model.ts';
import { usePasswordChange } from './queries.ts';

const formId = 'forced-password';

interface Props {
  /** Typed a moment ago; empty after a reload, then it is asked for. */
  currentPassword: string;
  onDone(): void;
}

function useLeave(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const failure = await signOut().catch(textOf);
    if (failure !== undefined) return notify('bad', user_logout_failed({ reason: failure }));
    await navigate({ to: '/login', search: {}, replace: true });
  };
}

/** Cannot be left: either the default password goes, or the user signs out. */
export function ForcedPasswordChange({ currentPassword, onDone }: Props) {
  const change = usePasswordChange();
  const leave = useLeave();
  const form = useSmallForm({ original: currentPassword, password: '', password2: '' }, changeFaults);
  const { errors } = form;
  const submit = form.submit(async ({ original, password }) => {
    // Success unmounts this dialog: callbacks of `mutate` would be lost with it.
    const done = await change.mutateAsync({ original, password }).then(
      () => true,
      () => false,
    );
    if (!done) return;
    notify('ok', password_change_done());
    onDone();
  });
  return (
    <Dialog
      title={password_default_title()}
      description={password_default_text()}
      footer={
        <>
          <Button tone="quiet" onClick={leave}>
            {user_logout()}
          </Button>
          <Button type="submit" form={formId} tone="primary" pending={change.isPending}>
            {password_change_submit()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3">
        {change.error && <Alert tone="bad">{textOf(change.error)}</Alert>}
        {currentPassword === '' && (
          <Field label={password_current()} error={errors.original}>
            {(control) => <PasswordInput {...control} {...form.field('original')} autoComplete="current-password" />}
          </Field>
        )}
        <Field label={password_new()} hint={password_rule()} error={errors.password}>
          {(control) => <PasswordInput {...control} {...form.field('password')} autoComplete="new-password" />}
        </Field>
        <Field label={password_repeat()} error={errors.password2}>
          {(control) => <PasswordInput {...control} {...form.field('password2')} autoComplete="new-password" />}
        </Field>
      </form>
    </Dialog>
  );
}
