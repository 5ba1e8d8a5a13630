import type { SentNote } from './hold-notes.ts';
import type { HoldResult, LogDraft, SettleResult } from './types.ts';

/** Whose wallet and token an operation touches; -1 = to be looked up. */
interface Located {
  id: string;
  userId: number;
  tokenId: number;
}

/** Who may close a hold: "" = its call or a sweep. */
export type Keeper = '' | 'task';

/** The ledger's operations as they travel to the writer. `context` and `note` are what a sweep would log. */
export type Operation = Located &
  (
    | {
        kind: 'hold';
        amount: number;
        floorCost: number;
        node: string;
        now: number;
        leaseUntil: number;
        context: string;
        note: SentNote;
        keeper: Keeper;
      }
    | { kind: 'dispatch' }
    | { kind: 'checkpoint'; meteredCost: number; leaseUntil: number }
    | { kind: 'extend'; extra: number }
    | { kind: 'settle'; cost: number; now: number; draft: LogDraft }
    | { kind: 'release' }
    | { kind: 'sweep'; now: number }
  );

export type OperationOf<K extends Operation['kind']> = Extract<Operation, { kind: K }>;

/** One per operation, in order: holds and settles have their own, the others say whether they took effect. */
export type OperationResult = HoldResult | SettleResult | boolean;

/** The operation's wallet or token is locked by somebody else: nothing happened, it must be tried again. */
export const deferred = 'deferred';
export type Deferred = typeof deferred;

export interface BatchInput {
  operations: readonly Operation[];
  /** `skip`: operations on locked rows are deferred, so that one locked wallet does not stop the others. */
  locks: 'wait' | 'skip';
}

export interface WalletState {
  userId: number;
  available: number;
  /** What this batch changes. */
  delta: { available: number; held: number; used: number; count: number };
}

export interface TokenState {
  id: number;
  remain: number;
  held: number;
  limited: boolean;
  deleted: boolean;
  status: number;
  delta: { remain: number; used: number; held: number };
  /** When a call of this batch ended, 0 = none did. */
  usedAt: number;
}

export interface HoldState {
  id: string;
  userId: number;
  tokenId: number;
  amount: number;
  floorCost: number;
  checkpointCost: number;
  dispatched: boolean;
  node: string;
  leaseUntil: number;
  createdAt: number;
  context: string;
  note: SentNote;
  keeper: Keeper;
  /** `stored` = as in the table; `new` and `changed` must be written; `closed` must go. */
  state: 'stored' | 'new' | 'changed' | 'closed';
  /** The table has a row. */
  persisted: boolean;
}

export interface SweptState {
  id: string;
  userId: number;
  tokenId: number;
  collected: number;
  logId: number;
  closedAt: number;
}

export interface NewTransfer {
  from: string;
  to: string;
  amount: number;
  kind: 'charge' | 'correction';
  ref: string;
  userId: number;
  now: number;
}

export interface NewLog {
  draft: LogDraft;
  now: number;
  quota: number;
  shortfall: number;
}

/** A call of which the database has nothing at all, and what it still has of the call's owner. */
export interface ForgottenState {
  isUserKnown: boolean;
  isTokenKnown: boolean;
}

/** Everything a batch read under its locks, and everything it is going to write. */
export interface BatchState {
  /** Operations whose rows somebody else has locked, by index. */
  deferred: Set<number>;
  wallets: Map<number, WalletState>;
  tokens: Map<number, TokenState>;
  holds: Map<string, HoldState>;
  swept: Map<string, SweptState>;
  /** Calls that are settled and that the database has forgotten, by their id. */
  forgotten: Map<string, ForgottenState>;
  /** Ids under which no hold may be made: they are held, were swept or were charged. */
  usedIds: Set<string>;
  transfers: NewTransfer[];
  logs: NewLog[];
  /** Holds closed by a sweep; `log` is absent when nothing was charged. */
  sweeps: { hold: HoldState; collected: number; now: number; log?: NewLog }[];
  /** Swept holds that got their correction: the row of the sweep is replaced, or a row written when there is none. */
  corrections: { swept: SweptState; log: NewLog }[];
  channels: Map<number, number>;
  /** Tokens that became exhausted. */
  exhausted: { tokenId: number; now: number }[];
}
