import { type redemptionRoutes, redemptionStatusChange } from '@tollgate/contract';
import type { Redemptions } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import { judge } from './request.ts';
import { actorOf, type Handlers } from './types.ts';

export function redemptionHandlers({ redemptions }: { redemptions: Redemptions }): Handlers<typeof redemptionRoutes> {
  return {
    list: (call) => redemptions.find({ keyword: '', ...call.query }),
    search: (call) => redemptions.find(call.query),
    campaigns: (call) => redemptions.campaigns(call.query),
    get: (call) => redemptions.get(call.id),
    create: (call) => redemptions.create(actorOf(call), call.body),
    update(call) {
      const { body, query } = call;
      if (query.status_only) {
        const { id, status } = judge(redemptionStatusChange, body, 'parameter_error');
        return redemptions.setStatus(actorOf(call), id, status);
      }
      if (!('name' in body)) throw new PublicError('parameter_error');
      return redemptions.update(actorOf(call), body);
    },
    disableBatch: (call) => redemptions.disable(actorOf(call), call.body.ids),
    removeInvalid: (call) => redemptions.removeInvalid(actorOf(call)),
    async remove(call) {
      await redemptions.remove(actorOf(call), call.id);
    },
  };
}
