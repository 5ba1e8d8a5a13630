import type { inviteRoutes } from '@tollgate/contract';
import type { Invites } from '../billing/index.ts';
import type { Profile } from '../identity/index.ts';
import { type Handlers, signedIn } from './types.ts';

export function inviteHandlers({ invites, profile }: { invites: Invites; profile: Profile }): Handlers<typeof inviteRoutes> {
  return {
    async info(call) {
      const { user } = signedIn(call);
      return invites.info(user.id, await profile.inviteCode(user));
    },
    records: (call) => invites.records(signedIn(call).user.id, call.query),
  };
}
