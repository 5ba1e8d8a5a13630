import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { selfQuery } from '../../api/self.ts';
import { useSelfChange } from '../../api/write.ts';
import { nowSeconds } from '../../lib/time.ts';
import { createPasskey } from '../../ui/signin/passkey.ts';

/** The server's ten minutes, less what a form takes to fill in. */
const freshSignInSeconds = 540;

/** The own row; read again whenever the window is looked at, since accounts are connected in other windows. */
export const useSelf = () => useQuery({ ...selfQuery, refetchOnWindowFocus: 'always' });

export const sessionsQuery = queryOptions({
  queryKey: ['self', 'sessions'],
  queryFn: ({ signal }) => call(routes.sessions.list, { signal }),
});
export const totpQuery = queryOptions({
  queryKey: ['self', 'totp'],
  queryFn: ({ signal }) => call(routes.signIn.totp, { signal }),
});
export const passkeysQuery = queryOptions({
  queryKey: ['self', 'passkeys'],
  queryFn: ({ signal }) => call(routes.signIn.passkeys, { signal }),
});

/** Whether the server will ask for the password before what decides who may sign in. */
export function useStaleSignIn(): boolean {
  const { data } = useQuery(sessionsQuery);
  const current = data?.find((session) => session.current);
  return current !== undefined && nowSeconds() - current.proven_time > freshSignInSeconds;
}

export interface Names {
  username: string;
  display_name: string;
}
/** Fields that stay the same are "". */
export const useNamesChange = () =>
  useSelfChange((names: Names) => call(routes.account.updateSelf, { body: { ...names, password: '', original_password: '' } }));

export const usePasswordChange = () =>
  useSelfChange(({ password, original }: { password: string; original: string }) =>
    call(routes.account.updateSelf, {
      body: { username: '', display_name: '', password, original_password: original },
    }),
  );
export const useAccessToken = () => useMutation({ mutationFn: () => call(routes.personal.accessToken) });
export const useEmailBinding = () =>
  useSelfChange((query: { email: string; code: string }) => call(routes.signIn.emailBind, { query }));
export const useWeChatBinding = () => useSelfChange((code: string) => call(routes.signIn.wechatBind, { query: { code } }));
export const useTelegramBinding = () =>
  useSelfChange((query: Record<string, string>) => call(routes.signIn.telegramBind, { query }));
export const useSessionEnd = () => useSelfChange((id: number) => call(routes.sessions.end, { params: { id } }));
export const useOtherSessionsEnd = () => useSelfChange(() => call(routes.sessions.endOthers));
export const useTotpSetup = () =>
  useSelfChange((password: string) => call(routes.signIn.totpSetup, { body: { original_password: password } }));
export const useTotpConfirm = () => useSelfChange((code: string) => call(routes.signIn.totpConfirm, { body: { code } }));
export const useTotpDisable = () => useSelfChange((code: string) => call(routes.signIn.totpDisable, { body: { code } }));
export const usePasskeyCreation = () =>
  useSelfChange(({ name, password }: { name: string; password: string }) => createPasskey(name, password));
export const usePasskeyRename = () =>
  useSelfChange(({ id, name }: { id: number; name: string }) =>
    call(routes.signIn.passkeyRename, { params: { id }, body: { name } }),
  );
export const usePasskeyRemoval = () => useSelfChange((id: number) => call(routes.signIn.passkeyDelete, { params: { id } }));
