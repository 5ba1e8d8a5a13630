import type { LogCut } from '@tollgate/contract';
import { costOf, type Usage, withSurcharge } from '../billing/index.ts';
import type { CallTrace } from '../platform/trace.ts';
import { affinityText, attemptText, backupText, type Route, type Target } from '../routing/index.ts';
import type { Ticking } from './active.ts';
import type { Asked, Outgoing } from './asked.ts';
import type { AttemptResult } from './attempt.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { describe, disableRules } from './failure.ts';
import { families } from './families/index.ts';
import { localFault, plainEvidence, type RelayFault } from './faults.ts';
import { HoldLease } from './hold-lease.ts';
import { forgetDecoded } from './inquiry.ts';
import { asCapped } from './least-cap.ts';
import { distinctLosses } from './losses.ts';
import { type AttemptHost, OpenAttempt } from './open-attempt.ts';
import type { RelayParts } from './parts.ts';
import { amountOf } from './reserve.ts';
import type { AnswerOutcome, Report } from './responder.ts';
import { saidByCaller } from './said-by-caller.ts';
import { saneReport } from './sane-usage.ts';
import { asServed } from './service-tier.ts';
import { asUsed } from './tool-uses.ts';
import { traceAttempt, traceSettle } from './traced.ts';
import { resolveUsage } from './usage.ts';

const nothing: Report = { usage: undefined, text: '', unkeptBytes: 0 };
/** How long an upstream that has not answered yet may still say whether it accepted the call of a caller who left. */
const goneGraceMs = 5_000;
const ping = ': PING\n\n';
/** An answer may be so much longer than twice its cap: tokens are counted roughly while it runs. */
const beyondCapTokens = 1_000;
/** After a probe that was too slow to show anything: the next one must not follow at once. */
const inconclusiveRestMs = 10_000;

/** What starts when no head came in time. */
export interface Hedge {
  readonly afterMs: number;
  /** Undefined: there is nobody to ask. */
  readonly start: () => Promise<{ target: Target; outgoing: Outgoing } | undefined>;
}

/** One held call from its first attempt to its close: attempts, keep-alive comments, and the one way to settle it. */
export class OpenCall implements Ticking, AttemptHost {
  readonly call: Call;
  readonly caller: Caller;
  readonly tried: number[] = [];
  /** Whose fault came last: with a hedge that need not be the target that was asked for. */
  lastFailed: Target | undefined;
  readonly #parts: RelayParts;
  readonly #asked: Asked;
  /** The decision and what came of it, as it goes into the log row. */
  #route: string;
  readonly #attempts: string[] = [];
  readonly #trace: CallTrace | undefined;
  /** Attempts without an outcome: one, or two while a hedge runs. */
  #live: OpenAttempt[] = [];
  #winner: OpenAttempt | undefined;
  #hedgeTimer: NodeJS.Timeout | undefined;
  /** The request to the second one is being made. */
  #isPreparing = false;
  /** What the first one failed with meanwhile. */
  #firstFault: AttemptResult | undefined;
  #resolve: ((result: AttemptResult) => void) | undefined;
  /** The call at the price of the group that answers. */
  #billed: Call;
  /** The call at the price of the backup pool, once nobody else is asked any more. */
  #raised: Call | undefined;
  readonly #lease: HoldLease;
  #goneTimer: NodeJS.Timeout | undefined;
  #isDispatched = false;
  #isSettled = false;
  #stopped: RelayFault | undefined;
  /** Of its time: no upstream's silence. */
  #stoodMs = 0;

  constructor(parts: RelayParts, call: Call, caller: Caller, asked: Asked, route: string, trace?: CallTrace) {
    this.#parts = parts;
    this.call = call;
    this.caller = caller;
    this.#asked = asked;
    this.#route = route;
    this.#trace = trace;
    this.#billed = call;
    this.#lease = new HoldLease(parts, call);
    caller.onGone(() => this.#gone());
  }

  /** Tries one channel, and a second one beside it when the hedge says so. Resolves when the caller has its answer, or when nothing reached it. */
  attempt(target: Target, outgoing: Outgoing, hedge?: Hedge): Promise<AttemptResult> {
    if (this.#stopped !== undefined) return Promise.resolve({ kind: 'fault', fault: this.#stopped });
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#open(target, outgoing);
      if (hedge !== undefined) this.#hedgeTimer = setTimeout(() => void this.#startHedge(hedge), hedge.afterMs);
    });
  }

  #open(target: Target, outgoing: Outgoing) {
    this.tried.push(target.channelId);
    const attempt = new OpenAttempt(this.#parts, this, target, outgoing, this.#asked);
    this.#live.push(attempt);
    attempt.start();
  }

  /** A target to which no request could be made. */
  skipped({ channelId, keyIndex }: Target, fault: RelayFault) {
    this.tried.push(channelId);
    const nothingSent = { status: 0, ms: 0, headMs: -1, upstreamRequestId: '' };
    this.#attempts.push(attemptText({ channelId, keyIndex, error: describe(fault), ...nothingSent }));
  }

  async #startHedge(hedge: Hedge) {
    if (!this.#mayHedge()) return;
    this.#isPreparing = true;
    const second = await hedge.start().catch((error: unknown) => {
      this.#parts.log.error({ err: error, requestId: this.call.id }, 'a second channel could not be asked');
      return undefined;
    });
    this.#isPreparing = false;
    if (second !== undefined && this.#mayHedge()) this.#open(second.target, second.outgoing);
    else if (this.#firstFault !== undefined) this.#tell(this.#firstFault);
    this.#firstFault = undefined;
  }

  #mayHedge(): boolean {
    const isOpen = this.#resolve !== undefined && this.#winner === undefined && this.#live.length < 2;
    return isOpen && this.#stopped === undefined && !this.caller.gone;
  }

  win(attempt: OpenAttempt): boolean {
    if (this.#winner !== undefined && this.#winner !== attempt) return false;
    this.#winner = attempt;
    clearTimeout(this.#hedgeTimer);
    for (const loser of this.#live) if (loser !== attempt) this.#abandon(loser, 'hedge_lost');
    this.#live = [attempt];
    attempt.declareLosses([]);
    const { group } = attempt.target;
    const price = group === this.call.group ? undefined : this.call.otherPrices?.get(group);
    const billed = this.#raised ?? (price === undefined ? this.call : { ...this.call, group, price });
    this.#billed = asCapped(billed, attempt);
    return true;
  }

  /**
   * From now on the backup pool is asked, at `ratio` times the price: the hold grows first. False: that cannot be paid, or day or
   * month have no room for it.
   */
  async raise(ratio: number, pool: Route): Promise<boolean> {
    const { call } = this;
    const raised: Call = { ...call, price: withSurcharge(call.price, ratio), otherPrices: undefined };
    const amount = amountOf(raised);
    const held = amountOf(call);
    if (amount > held && !(await this.#raiseHold(held, amount))) return false;
    this.#raised = raised;
    this.#route += backupText(pool, ratio);
    return true;
  }

  async #raiseHold(held: number, amount: number): Promise<boolean> {
    const { pass } = this.call;
    if (pass !== undefined && amount - held > pass.room()) return false;
    pass?.reserve(amount);
    if (await this.#lease.extend(amount - held)) return true;
    pass?.reserve(held);
    return false;
  }

  ended(attempt: OpenAttempt, result: AttemptResult): void {
    this.#live = this.#live.filter((other) => other !== attempt);
    if (this.#winner === attempt) this.#winner = undefined;
    if (result.kind === 'fault') this.#failed(attempt, result.fault);
    // The other one may still answer, or be asked when it is ready: it counts as tried, nobody else would ask it.
    if (result.kind === 'fault' && this.#live.length > 0) return;
    clearTimeout(this.#hedgeTimer);
    if (result.kind === 'fault' && result.fault.retryable && this.#isPreparing) this.#firstFault = result;
    else this.#tell(result);
  }

  #tell(result: AttemptResult) {
    this.#resolve?.(result);
    this.#resolve = undefined;
  }

  #failed(attempt: OpenAttempt, fault: RelayFault) {
    const { watch } = this.#parts;
    const { target } = attempt;
    this.lastFailed = target;
    this.#note(attempt, describe(fault));
    if (fault.evidence === undefined) return watch.released(target);
    const wasSaid = (text: string) => saidByCaller(this.#asked.inquiry.bytes, text);
    watch.failed(target, fault.evidence, disableRules(this.call.snapshot.options, target, wasSaid));
  }

  #note(attempt: OpenAttempt, error: string) {
    const record = attempt.record(error);
    this.#attempts.push(attemptText(record));
    if (this.#trace !== undefined) traceAttempt(this.#trace, attempt, record);
  }

  #abandon(attempt: OpenAttempt, error: string) {
    attempt.abandon();
    this.#note(attempt, error);
    this.#parts.watch.released(attempt.target, inconclusiveRestMs);
  }

  /** What was decided and tried so far; `route` is JSON. */
  record(): { tried: readonly number[]; route: string } {
    return { tried: this.tried, route: `${this.#route}${this.#affinity()},"a":[${this.#attempts.join(',')}]}` };
  }

  /** Who was asked in vain may have been the conversation's own. */
  #affinity(): string {
    const mayHaveStrayed = this.#attempts.length > 1 && this.call.snapshot.options.ChannelAffinityEnabled;
    return mayHaveStrayed && !this.#route.includes(affinityText) ? affinityText : '';
  }

  elapsedMs(): number {
    return this.#parts.clock.monotonicMs() - this.call.startedMonotonicMs;
  }

  /** See HoldLease. Nobody else is asked from now on. */
  dispatch(): Promise<boolean> {
    this.#isDispatched = true;
    forgetDecoded(this.#asked.inquiry);
    this.#asked.media?.forget();
    return this.#lease.dispatch();
  }

  async settle(attempt: OpenAttempt | undefined, report: Report, outcome: AnswerOutcome): Promise<Usage> {
    this.#isSettled = true;
    const { tokenizer, settler, watch } = this.#parts;
    const served = asServed(this.#billed, attempt, report.served);
    const { call, tools, isClamped } = asUsed(served, attempt, report.served?.uses);
    if (attempt !== undefined) {
      this.#note(attempt, outcome.brokenOff ? 'broken_off' : '');
      if (outcome.brokenOff) this.#parts.watch.health.failed(attempt.target, plainEvidence('network', 'broken_off'));
      else if (outcome.cut !== undefined) watch.released(attempt.target);
      else watch.succeeded(attempt.target);
    }
    const { inquiry } = this.#asked;
    const sane = saneReport(report, call, inquiry, attempt);
    const known = { ...sane, usage: sane.usage && { ...sane.usage, source: 'upstream' as const } };
    if (sane.usage !== undefined && sane.usage.prompt !== report.usage?.prompt)
      this.#parts.log.warn(
        { requestId: call.id, channel: attempt?.target.channelId, claimed: report.usage?.prompt, charged: sane.usage.prompt },
        'an upstream claims more prompt than there can have been',
      );
    const resolved = resolveUsage(tokenizer, call, inquiry, known);
    const counted = resolved instanceof Promise ? await resolved : resolved;
    const usage = tools === undefined ? counted : { ...counted, tools, anomaly: counted.anomaly || isClamped };
    call.pass?.settle(usage.prompt + usage.completion, costOf(call.price, usage));
    const settlingMs = this.#trace === undefined ? 0 : this.#parts.clock.monotonicMs();
    await settler.settle(call, {
      usage,
      channelId: attempt?.target.channelId ?? this.tried.at(-1) ?? 0,
      tried: this.tried,
      upstreamModel: attempt?.outgoing.upstreamModel,
      upstreamProtocol: attempt?.outgoing.protocol,
      effort: attempt?.outgoing.effort,
      losses: distinctLosses(attempt?.outgoing.losses ?? [], report.losses),
      route: this.record().route,
      firstByteMs: outcome.firstByteMs,
      cut: outcome.cut ?? (report.served?.cutByLength === true ? 'length' : undefined),
    });
    if (this.#trace !== undefined) traceSettle(this.#trace, settlingMs, this.#parts.clock.monotonicMs(), call, usage);
    return usage;
  }

  /** Nobody was promised anything, and nothing was charged: its hold may be released. */
  get isUntouched(): boolean {
    return !this.#isDispatched && !this.#isSettled;
  }

  /** An upstream took the call and said nothing: its prompt only. */
  async settleUnanswered(cut: LogCut): Promise<void> {
    await this.settle(undefined, nothing, { firstByteMs: undefined, cut, brokenOff: false });
  }

  tick(nowMs: number, stoodMs = 0) {
    this.#stoodMs += stoodMs;
    const upstreamMs = nowMs - this.#stoodMs;
    for (const attempt of this.#live) {
      if (attempt.isOverdue(upstreamMs)) attempt.timeOut();
      else if (attempt.isStuck(upstreamMs)) attempt.giveUp();
    }
    if (this.#lease.isLost(nowMs)) return this.#stop(localFault('billing_unavailable'));
    this.#keepAlive(nowMs);
    const metered = this.#winner?.responder?.metered ?? 0;
    if (this.#lease.isDue(nowMs, metered)) void this.#renew(nowMs, metered);
  }

  async #renew(nowMs: number, metered: number) {
    const fault = (await this.#lease.renew(nowMs, metered, this.#billed)) ?? this.#beyondCap();
    if (fault !== undefined) this.#stop(fault);
  }

  /** An upstream that was told a cap and goes on far beyond it would do so for as long as it likes, for the price of the cap. */
  #beyondCap(): RelayFault | undefined {
    const { capIsCallers, completionCap } = this.#billed;
    const answered = this.#winner?.responder?.answered ?? 0;
    if (!capIsCallers || answered <= completionCap * 2 + beyondCapTokens) return undefined;
    return localFault('upstream_error', { reason: 'the answer is longer than its caller allowed' });
  }

  shutdown() {
    this.#stop(localFault('shutting_down'));
  }

  close() {
    clearTimeout(this.#goneTimer);
    clearTimeout(this.#hedgeTimer);
  }

  #keepAlive(nowMs: number) {
    const { options } = this.call.snapshot;
    const ownSeconds = options['general_setting.ping_interval_enabled'] && options['general_setting.ping_interval_seconds'];
    const silentMs = (ownSeconds || this.#parts.env.STREAM_PING_SECONDS) * 1000;
    if (!this.call.isStream || silentMs === 0 || this.caller.gone || nowMs - this.caller.lastWriteMs < silentMs) return;
    if (families.get(this.#asked.inquiry.protocol)?.isOpaque === true) return;
    this.caller.startStream();
    this.caller.write(ping);
  }

  #stop(fault: RelayFault) {
    if (this.#stopped !== undefined) return;
    this.#stopped = fault;
    for (const attempt of [...this.#live]) attempt.stop(fault);
  }

  #gone() {
    this.#asked.media?.abandon();
    const answering = this.#live.filter(({ responder }) => responder !== undefined);
    for (const { responder } of answering) responder?.gone();
    if (this.#winner !== undefined || this.#resolve === undefined) return;
    this.#goneTimer = setTimeout(() => {
      if (this.#winner !== undefined || this.#resolve === undefined || this.#live.length === 0) return;
      const abandoned = this.#live.splice(0);
      for (const attempt of abandoned) this.#abandon(attempt, 'caller_left');
      // Nobody has heard of it, so nobody charges for it.
      if (!abandoned.some(({ wasSent }) => wasSent)) return this.#tell({ kind: 'fault', fault: localFault('caller_left') });
      this.settleUnanswered('caller_left').then(
        () => this.#tell({ kind: 'answered' }),
        (error: unknown) => this.#tell({ kind: 'broken', error }),
      );
    }, goneGraceMs);
  }
}
