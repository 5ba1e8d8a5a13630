import type { priceRoutes } from '@tollgate/contract';
import type { Prices } from '../billing/index.ts';
import { actorOf, type Handlers } from './types.ts';

export function priceHandlers({ prices }: { prices: Prices }): Handlers<typeof priceRoutes> {
  return {
    pricing(call) {
      const group = call.identity?.user.group ?? '';
      call.add({ ...prices.extras(group, call.language) });
      return prices.pricing(group);
    },
    versions: ({ query }) => prices.versions(query.p, query.page_size),
    async rollback(call) {
      await prices.rollback(call.body.id, actorOf(call));
    },
    preview: ({ body }) => prices.preview(body.changes, body.days),
    sync: ({ query }) => prices.sync(query.source),
    async applySync(call) {
      await prices.applySync(call.body, actorOf(call));
    },
    unpriced: () => prices.unpriced(),
    async resetRatios(call) {
      await prices.resetRatios(actorOf(call));
      call.say('重置模型倍率成功');
    },
  };
}
