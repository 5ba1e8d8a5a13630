import {
  type GivenBack,
  type LedgerProof,
  type LedgerSources,
  type LedgerState,
  type LogEntry,
  type LogExportQuery,
  type ledgerRoutes,
  type logRoutes,
  type Receipt,
  role,
} from '@tollgate/contract';
import type { GiveBack } from '../billing/index.ts';
import { isAllowedFrom, type Keyring, keyRefusal } from '../identity/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { type Language, PublicError } from '../platform/errors.ts';
import { type BodyLog, type CleanupRun, type LogScope, type Logs, toldIn } from '../usage/index.ts';
import type { Downloads } from './downloads.ts';
import { actorOf, type Call, type Handlers, signedIn } from './types.ts';

const everybody: LogScope = { kind: 'all' };
/** An owner's query has no filter of what only administrators see. */
const unfiltered = { username: '', channel: 0, upstream_request_id: '' };
/** How long an answer waits for the end of a deletion. */
const removalWaitMs = 20_000;

export interface LogApiDeps {
  logs: Logs;
  downloads: Downloads;
  logCleanup: CleanupRun;
  bodyLog: Pick<BodyLog, 'read'>;
  keyring: Pick<Keyring, 'lookup'>;
  clock: Clock;
  /** `ownerId`: whose rows may be read; undefined = everybody's. */
  receipt(logId: number, ownerId: number | undefined): Promise<Receipt>;
  giveBack(wish: GiveBack): Promise<GivenBack>;
}

export function logHandlers({
  logs,
  downloads,
  logCleanup,
  bodyLog,
  keyring,
  clock,
  receipt,
  giveBack,
}: LogApiDeps): Handlers<typeof logRoutes> {
  const download = (call: Pick<Call, 'identity'>, scope: LogScope, query: LogExportQuery): Promise<Response> =>
    downloads.file(call, { name: 'log', format: query.format, texts: logs.export(scope, query) });
  return {
    list: async ({ query, language }) => told(language, await logs.page(everybody, query)),
    self: async (call) => told(call.language, await logs.page(own(call), { ...call.query, ...unfiltered })),
    stat: ({ query }) => logs.stat(everybody, query),
    search: async ({ query, language }) => toldIn(language, await logs.search(everybody, query.keyword)),
    selfSearch: async (call) => toldIn(call.language, await logs.search(own(call), call.query.keyword)),
    export: (call) => download(call, everybody, call.query),
    selfExport: (call) => download(call, own(call), { ...call.query, ...unfiltered }),
    tail: async ({ query, language }) => told(language, await logs.tail(everybody, query)),
    selfTail: async (call) => told(call.language, await logs.tail(own(call), { ...call.query, ...unfiltered })),
    async ofKey({ query, bearer, caller }) {
      const key = await keyring.lookup(query.key.trim() || bearer);
      if (key === undefined) throw new PublicError('token_unknown');
      const refused = keyRefusal(key, nowSeconds(clock));
      // Where its quota went is what the holder of a used up key asks for.
      if (refused !== undefined && refused !== 'token_exhausted_status')
        throw new PublicError(refused === 'owner_banned' ? 'token_unknown' : refused);
      if (!isAllowedFrom(key, caller.address.ip)) throw new PublicError('ip_refused');
      return logs.ofToken(key.user.id, key.tokenId);
    },
    async remove(call) {
      const { target_timestamp: target, background } = call.query;
      if (target === 0) throw new PublicError('log_target_missing');
      await logCleanup.start(Math.min(target, nowSeconds(clock)), actorOf(call));
      if (!background) await logCleanup.wait(removalWaitMs);
      const { deleted, failed } = await logCleanup.state();
      if (failed) throw new PublicError('log_cleanup_failed', { deleted });
      return deleted;
    },
    removal: () => logCleanup.state(),
    receipt: (call) => receipt(call.id, ownerIdOf(call)),
    giveBack(call) {
      const { refunded, reason } = call.body;
      if (reason === '') throw new PublicError('refund_reason_missing');
      return giveBack({ logId: call.id, refunded, reason, actor: actorOf(call), role: signedIn(call).user.role });
    },
    body: (call) => bodyLog.read(call.id, ownerIdOf(call), actorOf(call)),
    selfStat: (call) => logs.stat(own(call), { ...call.query, ...unfiltered }),
  };
}

const told = <L extends { readonly items: LogEntry[] }>(language: Language, list: L): L => ({
  ...list,
  items: toldIn(language, list.items),
});

function own(call: Pick<Call, 'identity'>): LogScope {
  return { kind: 'own', userId: signedIn(call).user.id };
}

/** Whose rows the caller may read; undefined = everybody's. */
function ownerIdOf(call: Pick<Call, 'identity'>): number | undefined {
  const { user } = signedIn(call);
  return user.role >= role.admin ? undefined : user.id;
}

export interface LedgerApiDeps {
  proof(): Promise<LedgerProof>;
  ledgerState(): Promise<LedgerState>;
  ledgerSources(): Promise<LedgerSources>;
}

export function ledgerHandlers({ proof, ledgerState, ledgerSources }: LedgerApiDeps): Handlers<typeof ledgerRoutes> {
  return { proof, state: ledgerState, sources: ledgerSources };
}
