import type { signInRoutes } from '@tollgate/contract';
import type { Doors } from '../identity/index.ts';
import { oauthHandlers } from './oauth.ts';
import { answerSignIn, type Handlers, signedIn } from './types.ts';

type PasskeyRoute = Extract<keyof typeof signInRoutes, `passkey${string}`>;
type TotpRoute = Extract<keyof typeof signInRoutes, `totp${string}`>;

export function signInHandlers({ doors }: { doors: Doors }): Handlers<typeof signInRoutes> {
  const { verification, reset } = doors;
  return {
    ...oauthHandlers(doors),
    ...totpHandlers(doors),
    ...passkeyHandlers(doors),
    async verification(call) {
      await verification.sendCode(call.query.email, call.caller, call.identity);
    },
    async requestReset({ query, caller }) {
      await reset.request(query.email, caller);
    },
    async reset({ body, caller, add, keepDevice }) {
      const { password, passkeys } = await reset.redeem(body, caller);
      keepDevice();
      add({ passkeys });
      return password;
    },
    async emailBind(call) {
      call.setSession(await verification.bind(signedIn(call), call.query, call.caller));
    },
  };
}

function totpHandlers({ totp }: Doors): Handlers<Pick<typeof signInRoutes, TotpRoute>> {
  return {
    totp: (call) => totp.status(signedIn(call)),
    totpSetup: (call) => totp.setup(signedIn(call), call.body.original_password, call.caller),
    totpConfirm: (call) => totp.confirm(signedIn(call), call.body.code, call.caller),
    async totpDisable(call) {
      await totp.disable(signedIn(call), call.body.code, call.caller);
    },
    totpLogin: async ({ body, caller, identity, setSession }) =>
      answerSignIn(await totp.signIn(body, caller, identity), setSession),
  };
}

function passkeyHandlers({ passkeys }: Doors): Handlers<Pick<typeof signInRoutes, PasskeyRoute>> {
  return {
    passkeys: (call) => passkeys.list(signedIn(call)),
    passkeyOptions: (call) => passkeys.registrationOptions(signedIn(call), call.body.original_password, call.caller, call.origin),
    passkeyCreate: (call) => passkeys.register(signedIn(call), call.body, call.caller, call.origin),
    async passkeyRename(call) {
      await passkeys.rename(signedIn(call), call.id, call.body.name);
    },
    async passkeyDelete(call) {
      await passkeys.remove(signedIn(call), call.id, call.caller);
    },
    passkeyLoginOptions: ({ origin }) => passkeys.signInOptions(origin),
    async passkeyLogin({ body, caller, origin, identity, setSession }) {
      return answerSignIn(await passkeys.signIn(body.response, { caller, origin, previous: identity }), setSession);
    },
  };
}
