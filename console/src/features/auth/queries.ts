import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type LoginAnswer, type LoginUser, role } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { forgetUserData } from '../../api/forget.ts';
import { routes } from '../../api/routes.ts';
import { selfQuery } from '../../api/self.ts';
import { getSession, storeSession } from '../../api/session.ts';
import { forgetAff } from './invite-code.ts';
import { isDefaultLogin } from './model.ts';

export interface Pass {
  /** The bot check's token, where it is switched on. */
  turnstile?: string;
}

/** Makes somebody the signed-in user of this browser. */
export function useAdmission(): (user: LoginUser) => void {
  const client = useQueryClient();
  return (user) => {
    forgetUserData(client, user.id);
    storeSession(user);
  };
}

/** Signs in by password; nobody is signed in while a second step is due. */
export function useLogin() {
  const admit = useAdmission();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, pass }: { body: { username: string; password: string }; pass: Pass }) =>
      call(routes.account.login, { body, query: pass }),
    async onSuccess(user: LoginAnswer, { body }) {
      if (user.totp_required) return;
      admit({ ...user, must_change_password: user.must_change_password || isDefaultLogin(body.username, body.password) });
      // What the first page shows depends on it: known before, nothing moves there.
      if (user.role === role.root) await client.prefetchQuery(selfQuery);
    },
  });
}

/** The second step of any sign-in: a code of the authenticator or a recovery code. */
export function useSecondStep() {
  const admit = useAdmission();
  return useMutation({
    mutationFn: (body: { ticket: string; code: string }) => call(routes.signIn.totpLogin, { body }),
    onSuccess: admit,
  });
}

/** Sets an own new password; the session stays and is no longer restricted. */
export function usePasswordChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: { original: string; password: string }) =>
      call(routes.account.updateSelf, {
        body: { username: '', display_name: '', password: input.password, original_password: input.original },
      }),
    onSuccess() {
      const session = getSession();
      if (session) storeSession({ ...session, must_change_password: false });
      return client.invalidateQueries();
    },
  });
}

export interface RegisterForm {
  username: string;
  password: string;
  password2: string;
  email: string;
  code: string;
  aff: string;
}

export function useRegister() {
  return useMutation({
    mutationFn: ({ form, pass }: { form: RegisterForm; pass: Pass }) =>
      call(routes.account.register, {
        query: pass,
        body: {
          username: form.username,
          password: form.password,
          password2: form.password2,
          email: form.email,
          verification_code: form.code,
          aff_code: form.aff,
        },
      }),
    onSuccess: forgetAff,
  });
}
