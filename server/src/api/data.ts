import type { dataRoutes } from '@tollgate/contract';
import type { Dashboards } from '../usage/index.ts';
import { type Handlers, signedIn } from './types.ts';

/** An owner's query has no user and no channel filter. */
const unfiltered = { username: '', channel: 0 };

export function dataHandlers({ dashboards }: { dashboards: Dashboards }): Handlers<typeof dataRoutes> {
  return {
    all: ({ query }) =>
      query.username === '' ? dashboards.byModel(query) : dashboards.ofUser({ username: query.username }, query),
    self: (call) => dashboards.ofUser({ userId: signedIn(call).user.id }, call.query),
    users: ({ query }) => dashboards.byUser(query),
    dashboard: ({ query }) => dashboards.read({ kind: 'all' }, query),
    ownDashboard: (call) => dashboards.read({ kind: 'own', userId: signedIn(call).user.id }, { ...call.query, ...unfiltered }),
  };
}
