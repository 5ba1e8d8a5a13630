import type { personalRoutes, userRoutes } from '@tollgate/contract';
import type { Manager, Profile, UserManagement } from '../identity/index.ts';
import type { Downloads } from './downloads.ts';
import { type OwnDataDeps, ownData } from './own-data.ts';
import { type Call, type Handlers, signedIn } from './types.ts';

export function userHandlers({ people }: { people: UserManagement }): Handlers<typeof userRoutes> {
  return {
    list: (call) => people.search(managerOf(call), { keyword: '', ...call.query }),
    search: (call) => people.search(managerOf(call), call.query),
    get: (call) => people.get(managerOf(call), call.id),
    async create(call) {
      await people.create(managerOf(call), call.body);
    },
    async update(call) {
      await people.update(managerOf(call), call.body);
    },
    async remove(call) {
      await people.remove(managerOf(call), call.id);
    },
    manage: (call) => people.manage(managerOf(call), call.body.id, call.body.action),
    async disableToken(call) {
      await people.disableToken(managerOf(call), call.id);
    },
  };
}

export function managerOf(call: Pick<Call, 'identity' | 'caller'>): Manager {
  return { user: signedIn(call).user, caller: call.caller };
}

export function personalHandlers(
  deps: OwnDataDeps & { profile: Profile; downloads: Downloads },
): Handlers<typeof personalRoutes> {
  const { profile, downloads } = deps;
  return {
    exportSelf: (call) => downloads.file(call, { name: 'personal-data', format: 'ndjson', texts: ownData(deps, call) }),
    accessToken: (call) => profile.rotateAccessToken(signedIn(call).user, call.caller),
    inviteCode: (call) => profile.inviteCode(signedIn(call).user),
    async transferInvites(call) {
      await profile.transferInvites(signedIn(call).user, call.body.quota, call.caller);
      call.say('划转成功');
    },
    async removeSelf(call) {
      await profile.removeSelf(signedIn(call).user, call.caller);
      call.setSession(undefined);
    },
    async saveSetting(call) {
      await profile.saveSetting(signedIn(call).user, call.body);
      call.say('设置已更新');
    },
  };
}
