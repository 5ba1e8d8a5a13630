import type { LogCut } from '@tollgate/contract';
import { realtime, type TokenUsage } from '@tollgate/wire';
import { costOf, type Usage } from '../billing/index.ts';
import type { KeyRecord } from '../identity/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { formatQuota } from '../settings/index.ts';
import { type Call, ownerOf } from './call.ts';
import { localFault, type RelayFault } from './faults.ts';
import { fenceShare, growAt } from './hold-lease.ts';
import type { CallOutcome } from './log-draft.ts';
import type { RelayParts } from './parts.ts';
import { estimateTurn, type Metered, nothingMetered, timed, wasSaid } from './realtime-meter.ts';
import { asTranscriber, usageOfTranscript } from './realtime-transcript.ts';
import { amountOf, hold, insufficient } from './reserve.ts';
import { saneTurn } from './sane-usage.ts';
import { inPlaceMs, insistOn } from './settle.ts';
import { plainUsage } from './usage.ts';

/** One answer of the model, under a hold of its own. */
interface Turn {
  call: Call;
  heldQuota: number;
  renewedMs: number;
  firstByteMs: number | undefined;
  readonly metered: Metered;
}

/** Who answers a session's turns, as their log rows say it. */
export type Answering = Pick<CallOutcome, 'channelId' | 'tried' | 'upstreamModel' | 'route'>;

type Ending = 'caller' | 'upstream' | 'ours';
const cutBy: Readonly<Record<Ending, LogCut>> = { caller: 'caller_left', upstream: 'upstream_broke_off', ours: 'gateway' };

/** Answers at the same time. */
const maxRunning = 16;
const keptIds = 64;

/**
 * The money of one session. Before a turn begins there is a hold for it; when it ends it is settled by itself, with a
 * log row and a ref of its own, so that no turn is charged twice and none that was produced is lost.
 */
export class Turns {
  readonly #parts: RelayParts;
  readonly #checkAgain: () => Promise<KeyRecord>;
  /** The session's own record; every turn is a copy with an id of its own. */
  #base: Call;
  #answering: Answering = { channelId: 0, tried: [], upstreamModel: undefined };
  #count = 0;
  #spare: Turn | undefined;
  readonly #running = new Map<string, Turn>();
  readonly #over: string[] = [];
  /** Keeps the session's place under the limits between two turns. */
  #idlePass: Call['pass'];
  #heard = nothingMetered();
  /** Heard from the beginning, and what of it is written down. */
  #soundBytes = 0;
  #writtenBytes = 0;
  #sound = realtime.usualSound;
  #last = { cost: 0, tokens: 1 };
  #isRenewing = false;
  #hasEntered = false;
  #hasEnded = false;
  #transcriber: string | undefined;
  #named: { readonly sent: string; readonly asked: string } | undefined;

  /** `checkAgain` resolves with the key as it is by now, and rejects with RelayFault when it may not call any more. */
  constructor(parts: RelayParts, base: Call, checkAgain: () => Promise<KeyRecord>) {
    this.#parts = parts;
    this.#base = base;
    this.#checkAgain = checkAgain;
    this.#idlePass = base.pass;
  }

  get running(): number {
    return this.#running.size;
  }

  isRunning(responseId: string): boolean {
    return this.#running.has(responseId);
  }

  isOver(responseId: string): boolean {
    return this.#over.includes(responseId);
  }

  /** From now on it is known who answers, and at whose price. */
  answeredBy(answering: Answering, base: Call) {
    this.#answering = answering;
    this.#base = base;
    if (this.#spare !== undefined) this.#spare.call = { ...base, id: this.#spare.call.id };
  }

  /** The caller says who is to write down; the upstream will tell the name that it was sent. */
  writesDown(named: { readonly sent: string; readonly asked: string }) {
    this.#named = named;
  }

  /** `transcriber`: by the upstream's name; absent also where the session's own model writes down. */
  sounds(sound: realtime.SoundFormats, transcriber: string | undefined) {
    this.#sound = sound;
    this.#transcriber = transcriber;
  }

  /**
   * What the caller said was written down: a charge of its own, at the price of the model that did it where that has one.
   * Resolves when it is durable. Rejects with RelayFault: it cannot be paid.
   */
  async transcribed(transcript: realtime.Transcribed): Promise<void> {
    const key = `transcript ${transcript.itemId}`;
    const sent = this.#transcriber;
    const { model, price } = asTranscriber(this.#base, sent === this.#named?.sent ? this.#named?.asked : sent);
    const seconds = (this.#soundBytes - this.#writtenBytes) / this.#sound.heard;
    const usage = usageOfTranscript(transcript, { ...this.#base, price }, { bytes: this.#soundBytes, seconds });
    if (this.isOver(key) || usage.prompt + usage.completion === 0) return;
    this.#keep(key);
    this.#writtenBytes = this.#soundBytes;
    const { clock, settler } = this.#parts;
    const startedMonotonicMs = clock.monotonicMs();
    // Where nobody answers no turn will ask.
    if (this.#running.size === 0) await this.#checkAgain();
    const { call } = this.#spare ?? (await this.#hold());
    this.#spare = undefined;
    await this.#dispatch(call);
    const pass = this.#idlePass ?? [...this.#running.values()].at(-1)?.call.pass;
    pass?.also(call.id, usage.prompt + usage.completion, costOf(price, usage));
    const answering = model === this.#base.model ? this.#answering : { ...this.#answering, upstreamModel: sent };
    await settler.settle(
      { ...call, model, price, startedMonotonicMs },
      { ...answering, usage, firstByteMs: undefined, isTurn: true },
    );
  }

  #keep(id: string) {
    this.#over.push(id);
    if (this.#over.length > keptIds) this.#over.shift();
  }

  heard(textBytes: number, soundBytes: number) {
    this.#heard.heardText += textBytes;
    this.#heard.heardSound += soundBytes;
    this.#heard.seconds += soundBytes / this.#sound.heard;
    this.#soundBytes += soundBytes;
  }

  said(responseId: string, textBytes: number, soundBytes: number) {
    const turn = this.#running.get(responseId);
    if (turn === undefined) return;
    turn.firstByteMs ??= this.#parts.clock.monotonicMs() - turn.call.startedMonotonicMs;
    turn.metered.saidText += textBytes;
    turn.metered.saidSound += soundBytes;
    turn.metered.seconds += soundBytes / this.#sound.spoken;
  }

  /** Holds for the next turn unless it is held for or one runs. Rejects with RelayFault: it cannot be paid. */
  async prepare(): Promise<void> {
    if (this.#spare === undefined && this.#running.size === 0) this.#spare = await this.#hold();
  }

  /** A turn begins: it counts under the limits, and its mark is durable before anything of it is shown. Rejects with RelayFault. */
  async begin(responseId: string): Promise<void> {
    // Told once more: a second hold in the place of the first would leave that one to the sweeper, which charges it.
    if (this.isRunning(responseId) || this.isOver(responseId)) return;
    if (this.#running.size >= maxRunning) throw localFault('overloaded');
    const { clock } = this.#parts;
    const key = await this.#checkAgain();
    const turn = this.#spare ?? (await this.#hold());
    // Still nobody's: a turn that is refused its place is neither charged nor shown, though its end may be here already.
    this.#spare = turn;
    turn.call = { ...turn.call, key, startedMonotonicMs: clock.monotonicMs(), startedAt: nowSeconds(clock) };
    const pass = await this.#enter(turn);
    this.#spare = undefined;
    turn.call = { ...turn.call, pass };
    Object.assign(turn.metered, this.#heard);
    this.#heard = nothingMetered();
    this.#running.set(responseId, turn);
    pass?.reserve(turn.heldQuota);
    await this.#dispatch(turn.call);
  }

  /** A turn is over: resolves when its charge is durable. `counted`: the upstream told what was used, be it nothing. */
  async done(responseId: string, counted: { readonly usage: TokenUsage | undefined } | undefined): Promise<void> {
    if (this.isOver(responseId)) return;
    if (!this.#running.has(responseId)) await this.begin(responseId);
    const turn = this.#running.get(responseId);
    if (turn === undefined) return;
    await this.#close(responseId, turn, this.#usageOf(turn, counted));
  }

  /** Renews leases and lets holds grow with what is said. The fault: the session must stop. */
  async renew(nowMs: number): Promise<RelayFault | undefined> {
    if (this.#isRenewing) return undefined;
    this.#isRenewing = true;
    try {
      for (const turn of this.#held()) {
        const fault = await this.#renewTurn(turn, nowMs);
        if (fault !== undefined) return fault;
      }
      return undefined;
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#base.id }, 'could not renew the holds of a session');
      return undefined;
    } finally {
      this.#isRenewing = false;
    }
  }

  /** The session is over: half-produced turns are charged by what was produced of them, the rest is given back. */
  async end(ending: Ending): Promise<void> {
    this.#hasEnded = true;
    for (const [responseId, turn] of [...this.#running]) {
      const isOwed = wasSaid(turn.metered) || ending === 'caller';
      await this.#close(responseId, turn, isOwed ? estimateTurn(turn.metered, this.#sound) : nothing, cutBy[ending]);
    }
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) await this.#parts.settler.release(spare.call);
    this.#idlePass?.leave();
  }

  #held(): Turn[] {
    return [...(this.#spare === undefined ? [] : [this.#spare]), ...this.#running.values()];
  }

  /** Durable mark before anything is shown. */
  async #dispatch(call: Call): Promise<void> {
    const { clock, ledger } = this.#parts;
    const isAlive = await insistOn(clock, inPlaceMs, () => ledger.dispatch(call.id, ownerOf(call)));
    if (!isAlive) throw localFault('billing_unavailable');
  }

  /** A conversation is not opened while the database is away; one that runs does not end by its being away for some seconds. */
  #hold(): Promise<Turn> {
    return this.#hasEntered ? insistOn(this.#parts.clock, inPlaceMs, () => this.#holdOnce()) : this.#holdOnce();
  }

  /** As much as the last turn came to, if that can be had; the operator's minimum at least. */
  async #holdOnce(): Promise<Turn> {
    // What the upstream says behind the end would be held for until the lease is over.
    if (this.#hasEnded) throw localFault('do_request_failed');
    this.#count += 1;
    const id = `${this.#base.id}_${this.#count}`;
    const call: Call = { ...this.#base, id, promptEstimate: this.#last.tokens, pass: undefined };
    const least = amountOf(call, 0);
    for (const amount of this.#last.cost > least ? [this.#last.cost, least] : [least]) {
      const result = await hold(this.#parts, call, amount);
      const renewedMs = this.#parts.clock.monotonicMs();
      if (result.ok) return { call, heldQuota: amount, renewedMs, firstByteMs: undefined, metered: nothingMetered() };
      if (amount > least) continue;
      if (result.reason !== 'user' || result.have <= 0) throw insufficient(call, result, amount);
      const { options } = call.snapshot;
      throw localFault('turn_quota_insufficient', {
        have: formatQuota(result.have, options),
        need: formatQuota(amount, options),
      });
    }
    throw localFault('billing_unavailable');
  }

  /** The first turn has the session's place; each later one takes its own in exchange for that of the turn before. */
  async #enter({ call }: Turn): Promise<Call['pass']> {
    const idle = this.#idlePass;
    this.#idlePass = undefined;
    const isFirst = !this.#hasEntered;
    this.#hasEntered = true;
    if (isFirst) return idle;
    idle?.leave();
    // By the limits of now: a session may last an hour.
    const { options } = this.#parts.snapshot();
    return this.#parts.limiter.enter({ callId: call.id, key: call.key, options, tokens: call.promptEstimate });
  }

  #usageOf(turn: Turn, counted: { readonly usage: TokenUsage | undefined } | undefined): Usage {
    if (counted?.usage !== undefined) return { ...saneTurn(counted.usage, turn.call), source: 'upstream' };
    return counted === undefined && wasSaid(turn.metered) ? estimateTurn(turn.metered, this.#sound) : nothing;
  }

  /** With the seconds so far, where those are charged. */
  #timed(turn: Turn, usage: Usage, nowMs: number): Usage {
    return timed(usage, turn.call.price, turn.metered, this.#sound, nowMs - turn.call.startedMonotonicMs);
  }

  async #close(responseId: string, turn: Turn, counted: Usage, cut?: LogCut): Promise<void> {
    const { settler, clock } = this.#parts;
    const { call, firstByteMs } = turn;
    const usage = this.#timed(turn, counted, clock.monotonicMs());
    this.#running.delete(responseId);
    if (responseId !== '') this.#keep(responseId);
    const tokens = usage.prompt + usage.completion;
    const cost = tokens === 0 ? 0 : costOf(call.price, usage);
    call.pass?.settle(tokens, cost);
    if (tokens === 0) await settler.release(call);
    else {
      this.#last = { cost, tokens };
      await settler.settle(call, { ...this.#answering, usage, firstByteMs, cut, isTurn: true });
    }
    if (this.#running.size === 0) this.#idlePass = call.pass;
    else call.pass?.leave();
  }

  /** What was settled meanwhile has no hold any more: it is no reason to stop. */
  async #renewTurn(turn: Turn, nowMs: number): Promise<RelayFault | undefined> {
    const { env, ledger, clock } = this.#parts;
    const { call } = turn;
    const sinceMs = nowMs - turn.renewedMs;
    if (sinceMs > env.HOLD_LEASE_SECONDS * 1000 * fenceShare) return localFault('billing_unavailable');
    const metered = costOf(call.price, this.#timed(turn, estimateTurn(turn.metered, this.#sound), nowMs));
    const grows = call.price.kind === 'token' || call.price.perSecond === true;
    if (grows && turn !== this.#spare && metered > turn.heldQuota * growAt) {
      const extra = Math.max(turn.heldQuota, amountOf(call, 0));
      if (await ledger.extend(call.id, extra, ownerOf(call))) {
        turn.heldQuota += extra;
        call.pass?.reserve(turn.heldQuota);
      } else if (metered >= turn.heldQuota && this.#held().includes(turn)) return localFault('stream_quota_exhausted');
    }
    if (sinceMs < env.HOLD_CHECKPOINT_SECONDS * 1000) return undefined;
    const leaseUntil = nowSeconds(clock) + env.HOLD_LEASE_SECONDS;
    const isAlive = await ledger.checkpoint(call.id, wasSaid(turn.metered) ? metered : 0, leaseUntil, ownerOf(call));
    if (!isAlive) return this.#held().includes(turn) ? localFault('billing_unavailable') : undefined;
    turn.renewedMs = nowMs;
    return undefined;
  }
}

const nothing = plainUsage(0, 0, 'none');
