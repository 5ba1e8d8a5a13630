import { type LedgerProof, type ledgerRoutes, type logRoutes, type Receipt, role } from '@tollgate/contract';
import type { LogScope, Logs } from '../usage/index.ts';
import { type Call, type Handlers, signedIn } from './types.ts';

const everybody: LogScope = { kind: 'all' };
/** An owner's query has no user and no channel filter. */
const unfiltered = { username: '', channel: 0 };

export interface LogApiDeps {
  logs: Logs;
  /** `ownerId`: whose rows may be read; undefined = everybody's. */
  receipt(logId: number, ownerId: number | undefined): Promise<Receipt>;
}

export function logHandlers({ logs, receipt }: LogApiDeps): Handlers<typeof logRoutes> {
  return {
    list: ({ query }) => logs.page(everybody, query),
    self: (call) => logs.page(own(call), { ...call.query, ...unfiltered }),
    stat: ({ query }) => logs.stat(everybody, query),
    receipt(call) {
      const { user } = signedIn(call);
      return receipt(call.id, user.role >= role.admin ? undefined : user.id);
    },
    selfStat: (call) => logs.stat(own(call), { ...call.query, ...unfiltered }),
  };
}

function own(call: Pick<Call, 'identity'>): LogScope {
  return { kind: 'own', userId: signedIn(call).user.id };
}

export function ledgerHandlers({ proof }: { proof(): Promise<LedgerProof> }): Handlers<typeof ledgerRoutes> {
  return { proof: () => proof() };
}
