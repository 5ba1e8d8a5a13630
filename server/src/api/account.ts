import { type accountRoutes, autoGroup } from '@tollgate/contract';
import type { Accounts } from '../identity/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Channels } from '../routing/index.ts';
import { chargedGroups, describeGroups, type Options } from '../settings/index.ts';
import { answerSignIn, type Handlers, signedIn } from './types.ts';

export interface AccountApiDeps {
  accounts: Accounts;
  channels: Pick<Channels, 'enabledModels'>;
  options(): Options;
}

export function accountHandlers({ accounts, channels, options }: AccountApiDeps): Handlers<typeof accountRoutes> {
  return {
    async register({ body, caller, keepDevice }) {
      await accounts.register(body, caller);
      keepDevice();
    },
    async login({ body, caller, identity, setSession }) {
      return answerSignIn(await accounts.login(body, caller, identity), setSession);
    },
    async logout({ identity, refusal, caller, setSession }) {
      // A session that does not prove itself must not be ended by whoever sends its cookie along.
      if (refusal !== undefined) throw new PublicError(refusal);
      if (identity !== undefined) await accounts.logout(identity, caller);
      setSession(undefined);
    },
    self: (call) => accounts.self(signedIn(call)),
    async updateSelf(call) {
      const session = await accounts.updateSelf(signedIn(call), call.body, call.caller);
      if (session !== undefined) call.setSession(session);
    },
    models(call) {
      const { group: own } = signedIn(call).user;
      const groups = Object.keys(chargedGroups(options(), own));
      return channels.enabledModels(groups.filter((group) => group !== autoGroup));
    },
    selfGroups: (call) => describeGroups(options(), signedIn(call).user.group, call.language),
    groups: ({ identity, language }) => describeGroups(options(), identity?.user.group ?? '', language),
  };
}
