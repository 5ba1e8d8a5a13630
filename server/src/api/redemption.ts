import type { redemptionRoutes } from '@tollgate/contract';
import type { Redemptions } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import { actorOf, type Handlers } from './types.ts';

export function redemptionHandlers({ redemptions }: { redemptions: Redemptions }): Handlers<typeof redemptionRoutes> {
  return {
    list: (call) => redemptions.list(call.query.p, call.query.page_size),
    search: (call) => redemptions.search(call.query.keyword),
    get: (call) => redemptions.get(call.id),
    create: (call) => redemptions.create(actorOf(call), call.body),
    update(call) {
      const { body, query } = call;
      if ('status' in body !== query.status_only) throw new PublicError('parameter_error');
      if ('status' in body) return redemptions.setStatus(actorOf(call), body.id, body.status);
      return redemptions.update(actorOf(call), body);
    },
    removeInvalid: (call) => redemptions.removeInvalid(actorOf(call)),
    async remove(call) {
      await redemptions.remove(actorOf(call), call.id);
    },
  };
}
