import type { LedgerProof, ledgerRoutes, logRoutes } from '@tollgate/contract';
import type { LogScope, Logs } from '../usage/index.ts';
import { type Call, type Handlers, signedIn } from './types.ts';

const everybody: LogScope = { kind: 'all' };
/** An owner's query has no user and no channel filter. */
const unfiltered = { username: '', channel: 0 };

export function logHandlers({ logs }: { logs: Logs }): Handlers<typeof logRoutes> {
  return {
    list: ({ query }) => logs.page(everybody, query),
    self: (call) => logs.page(own(call), { ...call.query, ...unfiltered }),
    stat: ({ query }) => logs.stat(everybody, query),
    selfStat: (call) => logs.stat(own(call), { ...call.query, ...unfiltered }),
  };
}

function own(call: Pick<Call, 'identity'>): LogScope {
  return { kind: 'own', userId: signedIn(call).user.id };
}

export function ledgerHandlers({ proof }: { proof(): Promise<LedgerProof> }): Handlers<typeof ledgerRoutes> {
  return { proof: () => proof() };
}
