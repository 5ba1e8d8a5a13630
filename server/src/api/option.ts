import type { optionRoutes } from '@tollgate/contract';
import type { Settings } from '../settings/index.ts';
import type { Handlers } from './types.ts';

export function optionHandlers({ settings }: { settings: Settings }): Handlers<typeof optionRoutes> {
  return {
    list: () => settings.list(),
    async save({ body }) {
      await settings.save(Array.isArray(body) ? body : [body]);
    },
  };
}
