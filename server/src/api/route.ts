import type { routeRoutes } from '@tollgate/contract';
import type { ChannelSwitch, RouteExplainer, Timeline } from '../routing/index.ts';
import { actorOf, type Handlers } from './types.ts';

export interface RouteApiDeps {
  explainer: RouteExplainer;
  timeline: Timeline;
  channelSwitch: ChannelSwitch;
}

export function routeHandlers({ explainer, timeline, channelSwitch }: RouteApiDeps): Handlers<typeof routeRoutes> {
  return {
    explain: ({ body }) => explainer.explain(body),
    record: ({ id }) => explainer.record(id),
    timeline: ({ id, query }) => timeline.page(id, query),
    health: ({ id }) => explainer.health(id),
    async switchKey(call) {
      await channelSwitch.setKey(call.id, call.body, actorOf(call));
      return explainer.health(call.id);
    },
  };
}
