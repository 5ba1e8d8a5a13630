import type { Choices, HoldOwner, PriceSnapshot, Reach } from '../billing/index.ts';
import type { KeyRecord } from '../identity/index.ts';
import type { Route, Snapshot } from '../routing/index.ts';
import type { Pass } from './call-limits.ts';
import type { AskedPictures } from './families/size.ts';

/** When and from where a request came. */
export interface Arrival {
  readonly id: string;
  readonly ip: string;
  readonly startedMonotonicMs: number;
}

/** Tools that a call asks its upstream to run: how often each is held for, and the most that the caller allows in words of its dialect. */
export type AskedTools = ReadonlyMap<string, { readonly held: number; readonly limit: number | undefined }>;

/** One relayed request after admission: an immutable record, captured at the hold, that settling never looks beyond (F-33). */
export interface Call extends Arrival {
  readonly key: KeyRecord;
  /** The configuration the request started with. */
  readonly snapshot: Snapshot;
  /** As the caller named it: what limits, prices and logs use. */
  readonly model: string;
  /** The billing group. */
  readonly group: string;
  readonly price: PriceSnapshot;
  /** Prices of the further groups that may answer; the one that answers is charged for. */
  readonly otherPrices?: ReadonlyMap<string, PriceSnapshot>;
  /** How it asks to be served; absent = as all are. */
  readonly choices?: Choices;
  /** Tools with a price that it asks its upstream to run; absent = none. */
  readonly tools?: AskedTools;
  /** Who is asked when no ordinary channel answers; absent = nobody. */
  readonly backup?: Route;
  readonly isStream: boolean;
  /** Most prompt tokens the body can hold: sizes the hold. */
  readonly promptCeiling: number;
  /** Per-call prices that it takes, scaled by 1e9; absent = one. */
  readonly unitsNano?: number;
  /** Of a call for pictures: what is asked for, as the log says it. */
  readonly picture?: AskedPictures;
  /** Which of the price's dearer kinds the request may come to; absent = any. */
  readonly reach?: Reach;
  /** Likely prompt tokens: what is charged when nobody counted. */
  readonly promptEstimate: number;
  /** Most completion tokens the hold covers. */
  readonly completionCap: number;
  /** The caller gave that cap, so the upstream keeps to it, if it is told. */
  readonly capIsCallers: boolean;
  /** No cap can be told. */
  readonly isUncapped?: boolean;
  /** Its place under the limits of token, user and group; absent = nothing limits it. */
  readonly pass?: Pass;
  /** Unix seconds. */
  readonly startedAt: number;
}

export const ownerOf = ({ key }: Call): HoldOwner => ({ userId: key.user.id, tokenId: key.tokenId });
