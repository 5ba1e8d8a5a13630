import { costOf, holdAmount } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { within } from '../platform/within.ts';
import { type Call, ownerOf } from './call.ts';
import { localFault, type RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { amountOf } from './reserve.ts';
import { inPlaceMs, insist } from './settle.ts';

const checkpointTokens = 2_000;
/** A hold grows when so much of it is used. */
export const growAt = 0.8;
/** Without a renewed lease for this share of it, another node may soon close the hold. */
export const fenceShare = 0.75;

/** The hold of a running call: its durable marks, its lease, and how it grows with what is answered. */
export class HoldLease {
  readonly #parts: RelayParts;
  readonly #call: Call;
  #renewedMs: number;
  #renewedTokens = 0;
  #renewing = false;
  /** Completion tokens that are held for. */
  #covered: number;

  constructor(parts: RelayParts, call: Call) {
    this.#parts = parts;
    this.#call = call;
    this.#renewedMs = parts.clock.monotonicMs();
    this.#covered = call.completionCap;
  }

  /** Durable mark before the first byte. False: the hold is gone, or the database is out for longer than a caller waits for it. */
  async dispatch(): Promise<boolean> {
    const { ledger, clock, log } = this.#parts;
    let isAlive = false;
    const fault = await insist(clock, inPlaceMs, async () => {
      isAlive = await ledger.dispatch(this.#call.id, ownerOf(this.#call));
    });
    if (fault !== undefined) log.warn({ err: fault, requestId: this.#call.id }, 'could not mark a call as dispatched');
    return isAlive && fault === undefined;
  }

  /** Holds so many units more, in the time that a caller waits for it. False: they cannot be paid. */
  async extend(extra: number): Promise<boolean> {
    try {
      return await within(this.#parts.ledger.extend(this.#call.id, extra, ownerOf(this.#call)), inPlaceMs, () => false);
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#call.id }, 'could not extend a hold');
      return false;
    }
  }

  /** It could not be renewed for so long that somebody else may close the hold. */
  isLost(nowMs: number): boolean {
    return nowMs - this.#renewedMs > this.#parts.env.HOLD_LEASE_SECONDS * 1000 * fenceShare;
  }

  /** After some seconds, or after so much of an answer. */
  isDue(nowMs: number, completion: number): boolean {
    if (this.#renewing) return false;
    const periodMs = this.#parts.env.HOLD_CHECKPOINT_SECONDS * 1000;
    return nowMs - this.#renewedMs >= periodMs || completion - this.#renewedTokens >= checkpointTokens;
  }

  /** Books so many completion tokens durably at the price of `billed` and grows the hold where it must. Answers why the call has to stop. */
  async renew(nowMs: number, completion: number, billed: Call): Promise<RelayFault | undefined> {
    const { ledger, env, clock } = this.#parts;
    this.#renewing = true;
    try {
      const { promptEstimate, completionCap, capIsCallers } = billed;
      // The meter is rough: a cap that the upstream keeps to says more.
      const said = capIsCallers ? Math.min(completion, completionCap) : completion;
      const soFar = { prompt: promptEstimate, completion: said, cached: 0, cacheWrite: 0 };
      const metered = completion === 0 ? 0 : costOf(billed.price, soFar);
      const leaseUntil = nowSeconds(clock) + env.HOLD_LEASE_SECONDS;
      const alive = await ledger.checkpoint(this.#call.id, metered, leaseUntil, ownerOf(this.#call));
      if (!alive) return localFault('billing_unavailable');
      if (!(await this.#grow(completion, billed))) return localFault('stream_quota_exhausted');
      this.#renewedMs = nowMs;
      this.#renewedTokens = completion;
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#call.id }, 'could not renew a hold');
    } finally {
      this.#renewing = false;
    }
    return undefined;
  }

  /** A stream without a limit of its own extends its hold at 80 % use. False: the caller cannot pay for more. */
  async #grow(completion: number, call: Call): Promise<boolean> {
    if (call.capIsCallers || call.price.kind === 'call' || completion < this.#covered * growAt) return true;
    const amount = (cap: number) => holdAmount(call.price, call.promptCeiling, cap, undefined, call.reach);
    // An answer that comes fast may need more than one more of its cap.
    const more = Math.max(call.completionCap, Math.ceil(completion / growAt) - this.#covered);
    const extra = amount(more) - amount(0);
    if (!(await this.#parts.ledger.extend(call.id, extra, ownerOf(call)))) return completion < this.#covered;
    this.#covered += more;
    call.pass?.reserve(amountOf(call, this.#covered));
    return true;
  }
}
