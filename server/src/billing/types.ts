/**
 * The ledger's vocabulary. All amounts are integer quota, all times unix seconds.
 * See the ledger page of the documentation for what each movement means.
 */

/** What a call used, in one vector for every provider. `cached` and `cacheWrite` are part of `prompt`. */
export interface Usage {
  prompt: number;
  completion: number;
  cached: number;
  cacheWrite: number;
  reasoning: number;
  /** Of `cacheWrite`: what is kept for an hour. Absent = 0, as the next ones. */
  cacheWrite1h?: number;
  /** Of `prompt`. */
  audioPrompt?: number;
  imagePrompt?: number;
  /** Of `completion`. */
  audioCompletion?: number;
  imageCompletion?: number;
  /** Per-call prices that it took, scaled by 1e9: pictures, seconds, their size and quality. Absent = one. */
  unitsNano?: number;
  /** Pictures where fewer came than were asked for: `unitsNano` counts those that came. Absent otherwise. */
  picturesAsked?: number;
  pictures?: number;
  /** How often tools of the upstream's own were used, whether they have a price or not. Absent = none was, or nobody told. */
  tools?: Readonly<Record<string, number>>;
  /** Who counted: the upstream, our tokenizer, the byte heuristic, or nobody (nothing was produced). */
  source: 'upstream' | 'counted' | 'estimated' | 'none';
  /** The upstream's figures were impossible and were clamped. */
  anomaly: boolean;
}

/** The ratios of calls whose prompt is at most `upTo` tokens; absent = however long. */
export interface PriceTier {
  upTo?: number;
  modelRatioNano: number;
  completionRatioNano: number;
  cacheRatioNano: number;
  cacheWriteRatioNano: number;
}

/** Prices at the moment of the hold. Every `...Nano` is a decimal scaled by 1e9; settling never re-reads settings. */
export interface PriceSnapshot {
  /** Sequence number of the change that the price book was compiled from. */
  version: number;
  model: string;
  group: string;
  /** `call`: callPriceNano dollars a call. `token`: ratios. */
  kind: 'token' | 'call';
  modelRatioNano: number;
  completionRatioNano: number;
  cacheRatioNano: number;
  cacheWriteRatioNano: number;
  callPriceNano: number;
  groupRatioNano: number;
  /** The group ratio came from GroupGroupRatio. */
  specialGroup: boolean;
  quotaPerUnit: number;
  /** What is kept for an hour; absent = as `cacheWriteRatioNano`. */
  cacheWrite1hRatioNano?: number;
  /** A spoken prompt token relative to a written one; absent = they cost the same, spoken answers too. */
  audioRatioNano?: number;
  /** A spoken answer's token relative to a spoken prompt token; absent = 1. Counts with `audioRatioNano` only. */
  audioCompletionRatioNano?: number;
  /** A picture's prompt token relative to a written one; absent = they cost the same. */
  imageRatioNano?: number;
  /** A drawn answer's token relative to a plain prompt token; absent = as a written one. */
  imageCompletionRatioNano?: number;
  /** Of `call`: the price is for a second, and `unitsNano` counts seconds. */
  perSecond?: true;
  /** What the backup pool multiplies everything by; absent = the call was answered by an ordinary channel. */
  surchargeNano?: number;
  /** How the call was served, by its own choice, and what that multiplies everything by; absent = plainly. */
  serviceTier?: string;
  serviceTierNano?: number;
  /** Dollars for 1,000 uses of a tool that the upstream runs itself; absent = the call used none that has a price. */
  toolNano?: Readonly<Record<string, number>>;
  /** Ascending; the first that the prompt fits into prices the whole call, the last one whatever exceeds them all. */
  tiers?: readonly PriceTier[];
}

/** A usage log row before its charge is known. */
export interface LogDraft {
  type: number;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  model: string;
  channelId: number;
  group: string;
  promptTokens: number;
  completionTokens: number;
  useTime: number;
  isStream: boolean;
  content: string;
  /** JSON text of contract 7.8. */
  other: string;
  requestId: string;
  ip: string;
  /** JSON text, "" when nothing is charged. */
  receipt: string;
  /** Part of the books, but on no page. */
  hidden?: true;
}

export interface HoldRequest {
  id: string;
  userId: number;
  /** 0 = no token (playground). */
  tokenId: number;
  amount: number;
  floorCost: number;
  node: string;
  now: number;
  leaseUntil: number;
  /** What a sweep would log, with its price. */
  draft: LogDraft | HoldNote;
  /** `task`: no sweep closes it, however old its lease is; the task gate alone does (rulings 5). */
  keeper?: 'task';
}

/** A row to be logged in two JSON texts: what many calls have in common is stored once. */
export interface HoldNote {
  /** A `SharedNote`; calls alike pass the same text object. */
  readonly shared: string;
  /** An `OwnNote`. */
  readonly own: string;
}

export type HoldResult =
  | { ok: true }
  /** Nothing was reserved. `have` is the wallet's or token's present amount. `exhausted`: the token's, and nothing of it is held. */
  | { ok: false; reason: 'user' | 'token' | 'exhausted' | 'duplicate'; have: number };

export interface SettleRequest {
  id: string;
  /** Exact cost, already rounded. 0 is allowed. */
  cost: number;
  now: number;
  draft: LogDraft;
}

export interface SettleResult {
  /** False: the hold was closed before (by a settle, a release or a sweep) and nothing new was closed. */
  closed: boolean;
  collected: number;
  shortfall: number;
  /** A late settle after a sweep booked this much more or, when negative, gave it back. */
  correction: number;
  /**
   * The database had forgotten the call, hold and all, as a standby does that took over and had lagged behind: it was charged
   * without a hold, or nobody could be, since the user is unknown as well.
   */
  forgotten?: 'charged' | 'unknown user';
}

/** One movement between two accounts that is not a relay charge. */
export interface TransferRequest {
  from: string;
  to: string;
  amount: number;
  kind:
    | 'grant'
    | 'invite'
    | 'redeem'
    | 'payment'
    | 'adjust'
    | 'affiliate'
    | 'refund'
    | 'opening'
    | 'dividend'
    | 'maturing'
    | 'reversal'
    | 'withdrawal'
    | 'payout'
    | 'conversion';
  /** Unique for ever: the same ref twice is one movement. */
  ref: string;
  userId: number;
  actorId: number;
  now: number;
  note: string;
}

/** Whose a hold is. Who knows it says so; otherwise the database is asked. */
export interface HoldOwner {
  readonly userId: number;
  /** 0 = no token (playground). */
  readonly tokenId: number;
}

export interface Ledger {
  /** Reserves or changes nothing. Throws LedgerUnavailable when the queue is too long or too old (rulings 1). */
  hold(request: HoldRequest): Promise<HoldResult>;
  /** Marks the call as dispatched, durably, before the first byte goes to the client. False: the hold is gone. */
  dispatch(id: string, owner?: HoldOwner): Promise<boolean>;
  /** Records what was metered and renews the lease. False: the hold is gone and the stream must stop. */
  checkpoint(id: string, meteredCost: number, leaseUntil: number, owner?: HoldOwner): Promise<boolean>;
  /** Grows an open hold by `extra`. False: it cannot grow. */
  extend(id: string, extra: number, owner?: HoldOwner): Promise<boolean>;
  settle(request: SettleRequest): Promise<SettleResult>;
  /** Closes the hold, charges nothing. False: it was closed before. */
  release(id: string, owner?: HoldOwner): Promise<boolean>;
  /** Closes expired holds; returns how many. */
  sweep(now: number): Promise<number>;
  /** Waits until everything accepted so far is committed. */
  flush(): Promise<void>;
}
