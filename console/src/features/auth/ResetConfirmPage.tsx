import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import { clearSession } from '../../api/session.ts';
import { callWithMembers } from '../../api/whole-answer.ts';
import {
  confirm_passkeys,
  nav_login,
  password_new,
  reset_again,
  reset_confirm_submit,
  reset_confirm_text,
  reset_confirm_title,
  reset_copy,
  reset_done,
  reset_link_bad,
  reset_once,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { OnceShown } from '../../ui/OnceShown.tsx';
import { useTitle } from '../../ui/useTitle.ts';
import { AuthCard } from './AuthCard.tsx';

const route = getRouteApi('/_public/user/reset');
const again = () => (
  <Link to="/reset" className={buttonClass()}>
    {reset_again()}
  </Link>
);

/** The new password, only now. */
function NewPassword({ password, passkeys }: { password: string; passkeys: number }) {
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="font-medium">
        {reset_done()}
      </p>
      <OnceShown label={password_new()} value={password} copyLabel={reset_copy()} note={reset_once()} />
      {passkeys > 0 && <Alert tone="warn">{confirm_passkeys({ count: passkeys })}</Alert>}
      <Link to="/login" className={`${buttonClass('primary', 'lg')} mt-1`}>
        {nav_login()}
      </Link>
    </div>
  );
}

/** /user/reset: where the mail's link leads. A click makes the password, so that no mail scanner uses the link up. */
export function ResetConfirmPage() {
  useTitle(reset_confirm_title());
  const { email = '', token = '' } = route.useSearch();
  const reset = useMutation({
    mutationFn: () => callWithMembers(routes.signIn.reset, { body: { email, token } }),
    // It ended every session of the account, the one of this browser included.
    onSuccess: clearSession,
  });
  if (!email || !token) {
    return (
      <AuthCard title={reset_confirm_title()}>
        <div className="flex flex-col gap-3">
          <Alert tone="bad">{reset_link_bad()}</Alert>
          {again()}
        </div>
      </AuthCard>
    );
  }
  return (
    <AuthCard title={reset_confirm_title()}>
      {reset.data ? (
        <NewPassword password={reset.data.data} passkeys={Number(reset.data.members.passkeys) || 0} />
      ) : (
        <div className="flex flex-col gap-3">
          <p>{reset_confirm_text({ email })}</p>
          {reset.error && <Alert tone="bad">{textOf(reset.error)}</Alert>}
          <Button tone="primary" size="lg" pending={reset.isPending} onClick={() => reset.mutate()}>
            {reset_confirm_submit()}
          </Button>
          {reset.error && again()}
        </div>
      )}
    </AuthCard>
  );
}
