import type { inviteRoutes } from '@tollgate/contract';
import type { Invites } from '../billing/index.ts';
import type { Profile } from '../identity/index.ts';
import type { Downloads } from './downloads.ts';
import { type Handlers, signedIn } from './types.ts';

interface Parts {
  invites: Invites;
  profile: Profile;
  downloads: Downloads;
}

export function inviteHandlers({ invites, profile, downloads }: Parts): Handlers<typeof inviteRoutes> {
  return {
    async info(call) {
      const { user } = signedIn(call);
      return invites.info(user.id, await profile.inviteCode(user));
    },
    records: (call) => invites.records(signedIn(call).user.id, call.query),
    rewards: (call) => invites.rewards(signedIn(call).user.id, call.query),
    rewardsExport(call) {
      const texts = invites.rewardsCsv(signedIn(call).user.id, call.query);
      return downloads.file(call, { name: 'rewards', texts });
    },
  };
}
