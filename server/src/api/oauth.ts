import type { LoginAnswer, OAuthProvider, signInRoutes } from '@tollgate/contract';
import type { Doors } from '../identity/index.ts';
import { answerSignIn, type Call, type Handlers, signedIn } from './types.ts';

type OAuthRoute = 'oauthState' | 'oauthAuthorize' | OAuthProvider | 'wechat' | 'wechatBind' | 'telegram' | 'telegramBind';

/** What the console takes as "bound, nobody new signed in" (contract 1.6). */
const boundMessage = 'bind';

export function oauthHandlers({ oauth }: Doors): Handlers<Pick<typeof signInRoutes, OAuthRoute>> {
  type Return = Parameters<typeof oauth.redeem>[1];
  const redeem = async (provider: OAuthProvider, call: Call<Return>): Promise<LoginAnswer | undefined> => {
    const outcome = await oauth.redeem(provider, call.query, askerOf(call));
    if (outcome.kind !== 'bound') return answerSignIn(outcome, call.setSession);
    call.setSession(outcome.session);
    call.say(boundMessage);
    return undefined;
  };
  return {
    async oauthState(call) {
      const { state, browser } = await oauth.state(askerOf(call), call.query.aff);
      if (browser !== undefined) call.setBrowser(browser);
      return state;
    },
    async oauthAuthorize(call) {
      const { url, browser } = await oauth.authorize(call.query.provider, askerOf(call), call.query.aff);
      if (browser !== undefined) call.setBrowser(browser);
      return url;
    },
    github: (call) => redeem('github', call),
    linuxdo: (call) => redeem('linuxdo', call),
    oidc: (call) => redeem('oidc', call),
    wechat: async (call) => answerSignIn(await oauth.wechat(call.query, call.caller, call.identity), call.setSession),
    async wechatBind(call) {
      call.setSession(await oauth.wechatBind(call.query.code, signedIn(call), call.caller));
    },
    telegram: async (call) => answerSignIn(await oauth.telegram(call.query, call.caller, call.identity), call.setSession),
    async telegramBind(call) {
      call.setSession(await oauth.telegramBind(call.query, signedIn(call), call.caller));
    },
  };
}

function askerOf(call: Call): Parameters<Doors['oauth']['state']>[0] {
  return { identity: call.identity, caller: call.caller, origin: call.origin, browser: call.browser };
}
