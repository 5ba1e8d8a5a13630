import { costOf, holdAmount } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { type Call, ownerOf } from './call.ts';
import { localFault, type RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';

const checkpointEvents = 2_000;
const growAt = 0.8;
/** Without a renewed lease for this share of it, another node may soon close the hold. */
const fenceShare = 0.75;

/** The hold of a running call: its durable marks, its lease, and how it grows with what is answered. */
export class HoldLease {
  readonly #parts: RelayParts;
  readonly #call: Call;
  #renewedMs: number;
  #renewedEvents = 0;
  #renewing = false;
  /** Completion tokens that are held for. */
  #covered: number;

  constructor(parts: RelayParts, call: Call) {
    this.#parts = parts;
    this.#call = call;
    this.#renewedMs = parts.clock.monotonicMs();
    this.#covered = call.completionCap;
  }

  /** Durable mark before the first byte. False: the hold is gone. */
  async dispatch(): Promise<boolean> {
    try {
      return await this.#parts.ledger.dispatch(this.#call.id, ownerOf(this.#call));
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#call.id }, 'could not mark a call as dispatched');
      return false;
    }
  }

  /** Holds so many units more. False: they cannot be paid. */
  async extend(extra: number): Promise<boolean> {
    try {
      return await this.#parts.ledger.extend(this.#call.id, extra, ownerOf(this.#call));
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#call.id }, 'could not extend a hold');
      return false;
    }
  }

  /** It could not be renewed for so long that somebody else may close the hold. */
  isLost(nowMs: number): boolean {
    return nowMs - this.#renewedMs > this.#parts.env.HOLD_LEASE_SECONDS * 1000 * fenceShare;
  }

  /** After some seconds, or after many events of an answer. */
  isDue(nowMs: number, events: number): boolean {
    if (this.#renewing) return false;
    const periodMs = this.#parts.env.HOLD_CHECKPOINT_SECONDS * 1000;
    return nowMs - this.#renewedMs >= periodMs || events - this.#renewedEvents >= checkpointEvents;
  }

  /** Meters `events` durably at the price of `billed` and grows the hold where it must. Answers why the call has to stop. */
  async renew(nowMs: number, events: number, billed: Call): Promise<RelayFault | undefined> {
    const { ledger, env, clock } = this.#parts;
    this.#renewing = true;
    try {
      const soFar = { prompt: this.#call.promptEstimate, completion: events, cached: 0, cacheWrite: 0 };
      const metered = events === 0 ? 0 : costOf(billed.price, soFar);
      const leaseUntil = nowSeconds(clock) + env.HOLD_LEASE_SECONDS;
      const alive = await ledger.checkpoint(this.#call.id, metered, leaseUntil, ownerOf(this.#call));
      if (!alive) return localFault('billing_unavailable');
      if (!(await this.#grow(events, billed))) return localFault('stream_quota_exhausted');
      this.#renewedMs = nowMs;
      this.#renewedEvents = events;
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#call.id }, 'could not renew a hold');
    } finally {
      this.#renewing = false;
    }
    return undefined;
  }

  /** A stream without a limit of its own extends its hold at 80 % use. False: the caller cannot pay for more. */
  async #grow(events: number, call: Call): Promise<boolean> {
    if (call.capIsCallers || call.price.kind === 'call' || events < this.#covered * growAt) return true;
    const amount = (cap: number) => holdAmount(call.price, call.promptCeiling, cap, undefined, call.reach);
    const extra = amount(call.completionCap) - amount(0);
    if (!(await this.#parts.ledger.extend(call.id, extra, ownerOf(call)))) return events < this.#covered;
    this.#covered += call.completionCap;
    return true;
  }
}
