import type { Ledger, Signer } from '../billing/index.ts';
import type { Env } from '../env.ts';
import type { KeyRecord, Keyring } from '../identity/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { AskForSocket } from '../platform/http/ask-socket.ts';
import type { UpstreamClient } from '../platform/http/client.ts';
import type { ServedRequest } from '../platform/http/served.ts';
import type { UserFetch } from '../platform/http/user-fetch.ts';
import type { OpenSocket } from '../platform/http/websocket.ts';
import type { Log } from '../platform/log.ts';
import type { Tokenizer } from '../platform/tokenizer.ts';
import type { SignTools } from '../providers/index.ts';
import type { HealthWatch, KeyTurns, RouteChannel, Snapshot } from '../routing/index.ts';
import type { TaskDesk } from '../tasks/index.ts';
import type { BodyLog, ErrorLog } from '../usage/index.ts';
import type { AccountAsking, AccountView } from './account-views.ts';
import type { ActiveCalls } from './active.ts';
import type { BodyBudget } from './body-budget.ts';
import type { CallLimiter } from './call-limits.ts';
import type { Drains } from './drains.ts';
import type { RelayFault } from './faults.ts';
import type { ResponseOwners } from './response-owners.ts';
import type { RetryBudget } from './retry.ts';
import type { Settler } from './settle.ts';

/** Everything the relay works with; built once by main. */
export interface RelayParts {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly sign: Signer;
  readonly keyring: Keyring;
  readonly snapshot: () => Snapshot;
  /** Whether there is such a channel, enabled or not; the snapshot knows those that serve. */
  readonly hasChannel: (id: number) => Promise<boolean>;
  /** A channel enabled or not, for work that was begun there. Rejects with PublicError where it cannot be asked at all. */
  readonly anyChannel: (id: number) => Promise<RouteChannel | undefined>;
  readonly upstream: UpstreamClient;
  readonly openSocket: OpenSocket;
  /** For conversations that stay open. */
  readonly askForSocket: AskForSocket;
  /** Fetches what callers name by address. */
  readonly userFetch: UserFetch;
  readonly tokenizer: Tokenizer;
  readonly accountView: (view: AccountView, asking: AccountAsking) => Promise<object>;
  readonly settler: Settler;
  /** Work that upstreams do in the background. */
  readonly tasks: TaskDesk;
  readonly errorLog: Pick<ErrorLog, 'note'>;
  /** Told of a failed call that nobody's error row stands for: of whose key it was, nothing is known. */
  readonly onUnknownFailed: ((fault: Pick<RelayFault, 'code' | 'status'>) => void) | undefined;
  readonly bodyLog: Pick<BodyLog, 'keep'>;
  readonly limiter: CallLimiter;
  readonly responseOwners: ResponseOwners;
  readonly signTools: SignTools;
  readonly active: ActiveCalls;
  readonly budget: RetryBudget;
  readonly bodies: BodyBudget;
  readonly drains: Drains;
  readonly watch: HealthWatch;
  readonly turns: KeyTurns;
  /** Names this process in the holds it opens. */
  readonly node: string;
  /** In [0, 1). */
  readonly random: () => number;
  /** Who calls with a session instead of a key. Rejects with PublicError. */
  readonly visitor: (request: Pick<ServedRequest, 'headers' | 'socket'>) => Promise<KeyRecord>;
  readonly clientIp: (request: Pick<ServedRequest, 'headers' | 'socket'>) => string;
  /** The caller's own connection is encrypted, as far as the network tells. */
  readonly isHttps: (request: Pick<ServedRequest, 'headers' | 'socket'>) => boolean;
  /** False while draining. */
  readonly accepting: () => boolean;
  /** False: what begins now might not be booked when it ends. */
  readonly hasSpace: () => boolean;
}
