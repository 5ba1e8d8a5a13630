import type { optionRoutes } from '@tollgate/contract';
import { type Mailer, testMail } from '../notify/index.ts';
import { type OptionHistory, refuseUnusableGroups, type Settings } from '../settings/index.ts';
import { actorOf, type Handlers } from './types.ts';

export interface OptionDeps {
  settings: Settings;
  optionHistory: OptionHistory;
  mailer: Pick<Mailer, 'send'>;
}

export function optionHandlers({ settings, optionHistory, mailer }: OptionDeps): Handlers<typeof optionRoutes> {
  return {
    list: () => settings.list(),
    async save(call) {
      const changes = Array.isArray(call.body) ? call.body : [call.body];
      refuseUnusableGroups(settings.current(), settings.tryOut(changes));
      await settings.save(changes, actorOf(call));
    },
    history: ({ query }) => optionHistory.page(query.p, query.page_size, query.key),
    async rollback(call) {
      await optionHistory.undo(call.body.id, actorOf(call));
    },
    async testMail({ body }) {
      await mailer.send(testMail(body.to, settings.current().SystemName));
    },
  };
}
