import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { getSession, useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import {
  login_expired,
  login_no_account,
  login_password,
  login_password_off,
  login_second_step,
  login_submit,
  login_title,
  login_username,
  register_title,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { useTitle } from '../../ui/useTitle.ts';
import { AuthCard } from './AuthCard.tsx';
import { loginFaults } from './model.ts';
import { useLogin } from './queries.ts';

const ForcedPasswordChange = lazy(async () => ({ default: (await import('./ForcedPasswordChange.tsx')).ForcedPasswordChange }));
const route = getRouteApi('/_public/login');

function LoginForm({ onSignedIn }: { onSignedIn(password: string): void }) {
  const login = useLogin();
  const form = useSmallForm({ username: '', password: '' }, loginFaults);
  const { errors } = form;
  const submit = form.submit(({ username, password }) => {
    login.mutate({ username: username.trim(), password }, { onSuccess: (user) => !user.totp_required && onSignedIn(password) });
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      {login.error && <Alert tone="bad">{textOf(login.error)}</Alert>}
      {login.data?.totp_required && <Alert tone="bad">{login_second_step()}</Alert>}
      <Field label={login_username()} error={errors.username}>
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
      <Field label={login_password()} error={errors.password}>
        {(control) => <PasswordInput {...control} {...form.field('password')} autoComplete="current-password" />}
      </Field>
      <Button type="submit" tone="primary" size="lg" className="mt-1 w-full" pending={login.isPending}>
        {login_submit()}
      </Button>
    </form>
  );
}

/** /login: password sign-in. Whoever still has the default password changes it here before going on. */
export function LoginPage() {
  useTitle(login_title());
  const { expired, redirect } = route.useSearch();
  const navigate = route.useNavigate();
  const status = useStatus();
  const session = useSession();
  const [password, setPassword] = useState('');
  const goOn = () => void navigate({ href: redirect ?? '/token', replace: true });
  const register = (
    <>
      {login_no_account()} <Link to="/register">{register_title()}</Link>
    </>
  );
  return (
    <AuthCard title={login_title()} footer={status?.register_enabled !== false && register}>
      <div className="flex flex-col gap-3">
        {expired && !session && <Alert tone="warn">{login_expired()}</Alert>}
        {status?.password_login === false ? (
          <Alert tone="info">{login_password_off()}</Alert>
        ) : (
          <LoginForm
            onSignedIn={(typed) => {
              setPassword(typed);
              if (!getSession()?.must_change_password) goOn();
            }}
          />
        )}
      </div>
      {session?.must_change_password && (
        <Suspense>
          <ForcedPasswordChange currentPassword={password} onDone={goOn} />
        </Suspense>
      )}
    </AuthCard>
  );
}
