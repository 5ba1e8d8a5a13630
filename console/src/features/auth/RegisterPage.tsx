import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { useStatus } from '../../api/status.ts';
import {
  elsewhere_text,
  login_password,
  nav_login,
  nav_register,
  password_repeat,
  password_rule,
  register_aff,
  register_done,
  register_has_account,
  register_off,
  register_username,
  register_username_hint,
} from '../../i18n/generated/messages.ts';
import { readDraft, writeDraft } from '../../lib/storage.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { MailCode } from '../../ui/signin/MailCode.tsx';
import { useBotCheck } from '../../ui/signin/useBotCheck.tsx';
import { useTitle } from '../../ui/useTitle.ts';
import { AuthCard } from './AuthCard.tsx';
import { rememberAff } from './invite-code.ts';
import { registerFaults } from './model.ts';
import { useRegister } from './queries.ts';

const route = getRouteApi('/_public/register');

/** What a reload leaves standing; what is secret is typed again. */
const keep = (username: string, email: string) => {
  writeDraft('register:username', username);
  writeDraft('register:email', email);
};

function RegisterForm({ aff }: { aff: string }) {
  const register = useRegister();
  const navigate = route.useNavigate();
  const bot = useBotCheck();
  const withEmail = useStatus()?.email_verification === true;
  const secret = { password: '', password2: '', code: '' };
  const initial = { ...secret, username: readDraft('register:username'), email: readDraft('register:email') };
  const form = useSmallForm(initial, (values) => registerFaults(values, withEmail));
  const { errors } = form;
  const { username, email } = form.values;
  useEffect(() => keep(username, email), [username, email]);
  const submit = form.submit((values) => {
    const pass = bot.take();
    if (!pass) return;
    register.mutate(
      { form: { ...values, aff }, pass },
      {
        onSuccess() {
          keep('', '');
          notify('ok', register_done());
          void navigate({ to: '/login', search: {}, state: { username: values.username } });
        },
      },
    );
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      {register.error && <Alert tone="bad">{textOf(register.error)}</Alert>}
      <Field label={register_username()} hint={register_username_hint()} error={errors.username} required>
        {(control) => (
          <input
            {...control}
            {...form.field('username')}
            className="control"
            autoComplete="username"
            autoCapitalize="none"
            maxLength={50}
          />
        )}
      </Field>
      <Field label={login_password()} hint={password_rule()} error={errors.password} required>
        {(control) => <PasswordInput {...control} {...form.field('password')} autoComplete="new-password" />}
      </Field>
      <Field label={password_repeat()} error={errors.password2} required>
        {(control) => <PasswordInput {...control} {...form.field('password2')} autoComplete="new-password" />}
      </Field>
      {withEmail && (
        <MailCode
          email={{ props: form.field('email'), error: errors.email }}
          code={{ props: form.field('code'), error: errors.code }}
          bot={bot}
        />
      )}
      {aff && (
        <Field label={register_aff()}>{(control) => <input {...control} className="control" value={aff} readOnly />}</Field>
      )}
      {bot.widget}
      <Button type="submit" tone="primary" size="lg" className="mt-1 w-full" pending={register.isPending}>
        {nav_register()}
      </Button>
    </form>
  );
}

/** /register: a new account by name and password; `?aff=` carries an invite code. */
export function RegisterPage() {
  useTitle(nav_register());
  const search = route.useSearch();
  const [aff] = useState(() => rememberAff(search.aff));
  const status = useStatus();
  // The way to the third parties stands below.
  const closed = status?.register_enabled === false ? register_off() : status?.password_register === false && elsewhere_text();
  const footer = (
    <>
      {register_has_account()} <Link to="/login">{nav_login()}</Link>
    </>
  );
  return (
    <AuthCard title={nav_register()} footer={footer}>
      {closed ? <Alert tone="info">{closed}</Alert> : <RegisterForm aff={aff} />}
    </AuthCard>
  );
}
