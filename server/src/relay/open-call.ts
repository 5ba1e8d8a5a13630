import { capUsage, openaiChat } from '@tollgate/wire';
import { costOf, type Usage } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { UpstreamCall } from '../platform/http/client.ts';
import { redactText } from '../platform/log.ts';

import type { RouteChannel } from '../routing/index.ts';
import type { Ticking } from './active.ts';
import { type AttemptResult, type BodySink, openUpstream, transportFault, type UpstreamHeaders } from './attempt.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { decodingSink } from './decode.ts';
import { localFault, RelayFault } from './faults.ts';
import type { CallOutcome } from './log-draft.ts';
import type { RelayParts } from './parts.ts';
import { ErrorResponder, JsonResponder } from './respond-json.ts';
import { StreamResponder } from './respond-stream.ts';
import type { AnswerContext, Report, Responder } from './responder.ts';
import { isRetryable, mapStatus } from './retry.ts';
import type { ChatBody, Outgoing } from './upstream-request.ts';
import { resolveUsage } from './usage.ts';

const nothing: Report = { usage: undefined, text: '', unkeptBytes: 0 };
/** How long an upstream that has not answered yet may still say whether it accepted the call of a caller who left. */
const goneGraceMs = 5_000;
const checkpointEvents = 2_000;
const growAt = 0.8;
/** Without a renewed lease for this share of it, another node may soon close the hold. */
const fenceShare = 0.75;
const ping = ': PING\n\n';

/** One held call from its first attempt to its close: attempts, lease, keep-alive comments, and the one way to settle it. */
export class OpenCall implements Ticking, AnswerContext {
  readonly call: Call;
  readonly caller: Caller;
  readonly tried: number[] = [];
  readonly #parts: RelayParts;
  readonly #body: ChatBody;
  #channel: RouteChannel | undefined;
  #outgoing: Outgoing | undefined;
  #upstream: UpstreamCall | undefined;
  #responder: Responder | undefined;
  #resolve: ((result: AttemptResult) => void) | undefined;
  #renewedMs: number;
  #renewedEvents = 0;
  #renewing = false;
  #covered: number;
  #goneTimer: NodeJS.Timeout | undefined;
  #stopped: RelayFault | undefined;

  constructor(parts: RelayParts, call: Call, caller: Caller, body: ChatBody) {
    this.#parts = parts;
    this.call = call;
    this.caller = caller;
    this.#body = body;
    this.#renewedMs = parts.clock.monotonicMs();
    this.#covered = call.completionCap;
    caller.onGone(() => this.#gone());
  }

  /** Tries one channel. Resolves when the caller has its answer, or when nothing reached it. */
  attempt(channel: RouteChannel, outgoing: Outgoing): Promise<AttemptResult> {
    this.#channel = channel;
    this.#outgoing = outgoing;
    this.#responder = undefined;
    this.tried.push(channel.id);
    if (this.#stopped !== undefined) return Promise.resolve({ kind: 'fault', fault: this.#stopped });
    const { env, upstream } = this.#parts;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#upstream = openUpstream(
        upstream,
        outgoing,
        { firstByteTimeoutMs: env.UPSTREAM_FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: env.UPSTREAM_IDLE_TIMEOUT_MS },
        (status, headers, connection) => this.#accept(status, headers, connection, outgoing),
        (fault) => this.resolveAttempt({ kind: 'fault', fault: transportFault(fault) }),
      );
    });
  }

  resolveAttempt(result: AttemptResult) {
    this.#resolve?.(result);
    this.#resolve = undefined;
  }

  elapsedMs(): number {
    return this.#parts.clock.monotonicMs() - this.call.startedMonotonicMs;
  }

  /** Durable mark before the first byte. False: the hold is gone. */
  async dispatch(): Promise<boolean> {
    try {
      return await this.#parts.ledger.dispatch(this.call.id);
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.call.id }, 'could not mark a call as dispatched');
      return false;
    }
  }

  async settle(report: Report, outcome: Pick<CallOutcome, 'firstByteMs' | 'cut'>): Promise<Usage> {
    const { tokenizer, settler } = this.#parts;
    const { call } = this;
    const own = report.usage && capUsage(report.usage, call.capIsCallers ? call.completionCap : undefined);
    const known = { ...report, usage: own && { ...own, source: 'upstream' as const } };
    const usage = await resolveUsage(tokenizer, call.model, this.#body.bytes, call.promptEstimate, known);
    await settler.settle(call, {
      usage,
      channelId: this.#channel?.id ?? 0,
      tried: this.tried,
      upstreamModel: this.#outgoing?.upstreamModel,
      ...outcome,
    });
    return usage;
  }

  /** Contract 6.6: mapped status, the upstream's message without anything secret. */
  upstreamFault(status: number, body: Buffer, retryAfter?: string): RelayFault {
    return this.#faultFrom(status === 200 ? 502 : status, openaiChat.readError(status, body), retryAfter);
  }

  okFault(error: openaiChat.ChatError): RelayFault {
    return this.#faultFrom(openaiChat.errorStatus(error), error);
  }

  #faultFrom(status: number, error: openaiChat.ChatError, retryAfter?: string): RelayFault {
    const mapped = mapStatus(status, this.#channel?.statusMapping ?? new Map());
    const retryAfterSeconds = mapped === 429 ? retrySeconds(retryAfter) : undefined;
    return new RelayFault({
      status: mapped >= 400 && mapped < 600 ? mapped : 502,
      code: String(error.code ?? ''),
      type: error.type,
      param: error.param ?? '',
      message: redactText(error.message, this.#channel?.key),
      retryable: isRetryable(mapped),
      retryAfterSeconds,
    });
  }

  tick(nowMs: number) {
    const { env } = this.#parts;
    if (nowMs - this.call.startedMonotonicMs > env.UPSTREAM_TOTAL_TIMEOUT_MS) return this.#stop(localFault('upstream_timeout'));
    if (nowMs - this.#renewedMs > env.HOLD_LEASE_SECONDS * 1000 * fenceShare)
      return this.#stop(localFault('billing_unavailable'));
    this.#keepAlive(nowMs);
    const events = this.#responder?.events ?? 0;
    const due = nowMs - this.#renewedMs >= env.HOLD_CHECKPOINT_SECONDS * 1000 || events - this.#renewedEvents >= checkpointEvents;
    if (due && !this.#renewing) void this.#checkpoint(nowMs, events);
  }

  shutdown() {
    this.#stop(localFault('shutting_down'));
  }

  close() {
    clearTimeout(this.#goneTimer);
  }

  #accept(status: number, headers: UpstreamHeaders, upstream: UpstreamCall, outgoing: Outgoing): BodySink {
    this.#responder = this.#responderFor(status, headers, upstream, outgoing);
    if (this.caller.gone) queueMicrotask(() => this.#responder?.gone());
    return decodingSink(first(headers['content-encoding']), this.#responder);
  }

  #responderFor(status: number, headers: UpstreamHeaders, upstream: UpstreamCall, outgoing: Outgoing): Responder {
    if (status !== 200) return new ErrorResponder(this, upstream, status, first(headers['retry-after']));
    const isEvents = first(headers['content-type'])?.includes('text/event-stream') === true;
    if (!isEvents) return new JsonResponder(this, upstream);
    const { wantsUsage, n } = this.#body.peek;
    return new StreamResponder(this, upstream, { swallowUsage: outgoing.swallowUsage, wantsUsage, choices: n });
  }

  #keepAlive(nowMs: number) {
    const silentMs = this.#parts.env.STREAM_PING_SECONDS * 1000;
    if (!this.call.isStream || silentMs === 0 || this.caller.gone || nowMs - this.caller.lastWriteMs < silentMs) return;
    this.caller.startStream();
    this.caller.write(ping);
  }

  async #checkpoint(nowMs: number, events: number) {
    const { ledger, env, clock } = this.#parts;
    this.#renewing = true;
    try {
      const metered = costOf(this.call.price, { prompt: this.call.promptEstimate, completion: events, cached: 0, cacheWrite: 0 });
      const alive = await ledger.checkpoint(this.call.id, events === 0 ? 0 : metered, nowSeconds(clock) + env.HOLD_LEASE_SECONDS);
      if (!alive) return this.#stop(localFault('billing_unavailable'));
      if (!(await this.#grow(events))) return this.#stop(localFault('stream_quota_exhausted'));
      this.#renewedMs = nowMs;
      this.#renewedEvents = events;
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.call.id }, 'could not renew a hold');
    } finally {
      this.#renewing = false;
    }
  }

  /** A stream without a limit of its own extends its hold at 80 % use. False: the caller cannot pay for more. */
  async #grow(events: number): Promise<boolean> {
    const { call } = this;
    if (call.capIsCallers || call.price.kind === 'call' || events < this.#covered * growAt) return true;
    const extra = costOf(call.price, { prompt: 0, completion: call.completionCap, cached: 0, cacheWrite: 0 });
    if (!(await this.#parts.ledger.extend(call.id, extra))) return events < this.#covered;
    this.#covered += call.completionCap;
    return true;
  }

  #stop(fault: RelayFault) {
    if (this.#stopped !== undefined) return;
    this.#stopped = fault;
    if (this.#responder !== undefined) return this.#responder.interrupt(fault);
    this.#upstream?.abort();
    this.resolveAttempt({ kind: 'fault', fault });
  }

  #gone() {
    if (this.#responder !== undefined) return this.#responder.gone();
    this.#goneTimer = setTimeout(() => {
      if (this.#responder !== undefined || this.#resolve === undefined) return;
      this.#upstream?.abort();
      void this.settle(nothing, { firstByteMs: undefined, cut: true }).then(() => this.resolveAttempt({ kind: 'answered' }));
    }, goneGraceMs);
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const defaultRetrySeconds = 5;
const maxRetrySeconds = 60;

/** What we tell the caller: the upstream's figure, at most 60 s, 5 s when it is unreadable (F-19). */
function retrySeconds(header: string | undefined): number {
  const seconds = /^\d{1,6}$/.test(header ?? '') ? Number(header) : defaultRetrySeconds;
  return Math.min(maxRetrySeconds, Math.max(1, seconds));
}
