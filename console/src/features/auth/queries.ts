import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { getSession, storeSession } from '../../api/session.ts';
import { readText, writeText } from '../../lib/storage.ts';
import { isDefaultLogin } from './model.ts';

/** What one user read must not be shown to the next one. */
const forgetUserData = (client: QueryClient): void =>
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });

export function useLogin() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { username: string; password: string }) => call(routes.account.login, { body }),
    onSuccess(user, body) {
      // Nobody is signed in before the second step.
      if (user.totp_required) return;
      forgetUserData(client);
      storeSession({ ...user, must_change_password: user.must_change_password || isDefaultLogin(body.username, body.password) });
    },
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

const affKey = 'aff';
/** The invite code of the link that led here, kept until somebody registers. */
export function rememberAff(code: string | undefined): string {
  if (code) writeText(affKey, code);
  return code ?? readText(affKey);
}

export function useRegister() {
  return useMutation({
    mutationFn: (form: { username: string; password: string; password2: string; aff: string }) =>
      call(routes.account.register, {
        body: {
          username: form.username,
          password: form.password,
          password2: form.password2,
          email: '',
          verification_code: '',
          aff_code: form.aff,
        },
      }),
    onSuccess: () => writeText(affKey, ''),
  });
}
