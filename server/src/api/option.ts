import type { optionRoutes } from '@tollgate/contract';
import type { Settings } from '../settings/index.ts';
import { actorOf, type Handlers } from './types.ts';

export function optionHandlers({ settings }: { settings: Settings }): Handlers<typeof optionRoutes> {
  return {
    list: () => settings.list(),
    async save(call) {
      await settings.save(Array.isArray(call.body) ? call.body : [call.body], actorOf(call));
    },
  };
}
