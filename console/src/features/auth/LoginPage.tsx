import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import type { LoginAnswer } from '@tollgate/contract';
import { useState } from 'react';
import { canUsePasskeys, enabledProviders } from '../../api/doors.ts';
import { textOf } from '../../api/errors.ts';
import { getSession, useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import {
  error_session_expired,
  login_forgot,
  login_no_account,
  login_password,
  login_password_off,
  login_username,
  nav_login,
  nav_register,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { part } from '../../ui/part.tsx';
import { useBotCheck } from '../../ui/signin/useBotCheck.tsx';
import { useTitle } from '../../ui/useTitle.ts';
import { AuthCard } from './AuthCard.tsx';
import { loginFaults } from './model.ts';
import { useLogin } from './queries.ts';

const ForcedPasswordChange = part(() => import('./ForcedPasswordChange.tsx'), 'ForcedPasswordChange');
const SecondStep = part(() => import('./SecondStep.tsx'), 'SecondStep');
const MoreDoors = part(
  () => import('./MoreDoors.tsx'),
  'MoreDoors',
  () => <DoorsSpace />,
);
const route = getRouteApi('/_public/login');

interface FormProps {
  /** The password of the try that begins; empty when it failed. */
  onTry(password: string): void;
  onAnswer(answer: LoginAnswer): void;
}

function LoginForm({ onTry, onAnswer }: FormProps) {
  const login = useLogin();
  const bot = useBotCheck();
  // Whoever has just registered has typed it a moment ago.
  const username = useLocation({ select: ({ state }) => state.username ?? '' });
  const form = useSmallForm({ username, password: '' }, loginFaults);
  const { errors } = form;
  const submit = form.submit(({ username, password }) => {
    const pass = bot.take();
    if (!pass) return;
    const body = { username: username.trim(), password };
    onTry(password);
    login.mutate({ body, pass }, { onSuccess: (answer) => onAnswer(answer), onError: () => onTry('') });
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      {login.error && <Alert tone="bad">{textOf(login.error)}</Alert>}
      <Field label={login_username()} error={errors.username}>
        {(control) => (
          <input
            {...control}
            {...form.field('username')}
            className="control"
            autoComplete="username"
            autoCapitalize="none"
            maxLength={255}
          />
        )}
      </Field>
      {/* The link stands above the field and comes after it, for who goes on from the name by Tab. */}
      <div className="relative">
        <Field label={login_password()} error={errors.password}>
          {(control) => <PasswordInput {...control} {...form.field('password')} autoComplete="current-password" />}
        </Field>
        <Link to="/reset" className="absolute top-0.5 right-0 text-xs hover:underline">
          {login_forgot()}
        </Link>
      </div>
      {bot.widget}
      <Button type="submit" tone="primary" size="lg" className="mt-1 w-full" pending={login.isPending}>
        {nav_login()}
      </Button>
    </form>
  );
}

/** As high as the other doors will be. */
function DoorsSpace() {
  const status = useStatus();
  const buttons = [canUsePasskeys(), status?.wechat_login, status?.telegram_oauth].filter(Boolean).length;
  const count = buttons + enabledProviders(status).length;
  if (count === 0) return null;
  return (
    <div aria-busy className="flex flex-col gap-2">
      <div className="my-1 h-[17px]" />
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places never move
        <div key={index} className="h-9 max-sm:h-11" />
      ))}
    </div>
  );
}

/** /login: by password or any other door. Whoever still has the default password changes it here before going on. */
export function LoginPage() {
  useTitle(nav_login());
  const { expired, redirect } = route.useSearch();
  const navigate = route.useNavigate();
  const status = useStatus();
  const session = useSession();
  // Known before the session is: a form that learnt it later would begin anew, and what was typed by then would be lost.
  const [password, setPassword] = useState('');
  const [ticket, setTicket] = useState('');
  const goOn = (fallback = '/token') => void navigate({ href: redirect ?? fallback, replace: true });
  const onAnswer = (answer: LoginAnswer, fallback?: string) => {
    if (answer.totp_required) return setTicket(answer.ticket ?? '');
    if (!getSession()?.must_change_password) goOn(fallback);
  };
  const register = (
    <>
      {login_no_account()} <Link to="/register">{nav_register()}</Link>
    </>
  );
  if (ticket) {
    return <SecondStep ticket={ticket} onDone={() => goOn()} onBack={() => setTicket('')} />;
  }
  return (
    <AuthCard title={nav_login()} footer={status?.register_enabled !== false && register}>
      <div className="flex flex-col gap-3">
        {expired && !session && <Alert tone="warn">{error_session_expired()}</Alert>}
        {status?.password_login === false ? (
          <Alert tone="info">{login_password_off()}</Alert>
        ) : (
          <LoginForm onTry={setPassword} onAnswer={onAnswer} />
        )}
        <MoreDoors onAnswer={onAnswer} />
      </div>
      {session?.must_change_password && <ForcedPasswordChange currentPassword={password} onDone={() => goOn()} />}
    </AuthCard>
  );
}
