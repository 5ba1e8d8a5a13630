import type { sessionRoutes } from '@tollgate/contract';
import type { SessionList } from '../identity/index.ts';
import { type Handlers, signedIn } from './types.ts';

export function sessionHandlers({ sessionList }: { sessionList: SessionList }): Handlers<typeof sessionRoutes> {
  return {
    list: (call) => sessionList.list(signedIn(call)),
    async end(call) {
      await sessionList.end(signedIn(call), call.id, call.caller);
    },
    endOthers: (call) => sessionList.endOthers(signedIn(call), call.caller),
  };
}
