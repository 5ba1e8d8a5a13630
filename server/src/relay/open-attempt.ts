import { clientDialect, errorStatus, type WireError } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import { type BodySink, type UpstreamCall, UpstreamFault, type UpstreamHeaders } from '../platform/http/client.ts';
import { redactText } from '../platform/log.ts';
import { requestIdHeaders } from '../providers/index.ts';
import type { AttemptRecord, Target } from '../routing/index.ts';
import { folding, unfolded } from './answer-shape.ts';
import type { Asked, Outgoing } from './asked.ts';
import { type AttemptResult, ignored, transportFault } from './attempt.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { isKept, notingSink } from './continued-response.ts';
import { decodingSink, framingSink, isBytes, isStream } from './decode.ts';
import { families } from './families/index.ts';
import { localFault, plainEvidence, type RelayFault } from './faults.ts';
import { distinctLosses, lossesHeader } from './losses.ts';
import { createOpaqueTap } from './opaque-tap.ts';
import type { RelayParts } from './parts.ts';
import { hiderOf, type Refusal, refusalFault, retryAfterIn, retryAfterTold } from './refusal-fault.ts';
import { ErrorResponder, JsonResponder } from './respond-json.ts';
import { StreamResponder } from './respond-stream.ts';
import type { AnswerContext, AnswerOutcome, Report, Responder } from './responder.ts';
import { saidByCaller } from './said-by-caller.ts';
import { bodyFor } from './upstream-request.ts';

/** What an attempt needs of the call it belongs to. */
export interface AttemptHost {
  readonly call: Call;
  readonly caller: Caller;
  elapsedMs(): number;
  /** A good head came. False: another attempt was faster. */
  win(attempt: OpenAttempt): boolean;
  dispatch(): Promise<boolean>;
  settle(attempt: OpenAttempt, report: Report, outcome: AnswerOutcome): Promise<Usage>;
  ended(attempt: OpenAttempt, result: AttemptResult): void;
}

const maxIdChars = 128;

/** One exchange with one upstream under an open call. */
export class OpenAttempt implements AnswerContext {
  readonly target: Target;
  readonly outgoing: Outgoing;
  readonly startedMs: number;
  readonly #parts: RelayParts;
  readonly #host: AttemptHost;
  readonly #asked: Asked;
  #upstream: UpstreamCall | undefined;
  #responder: Responder | undefined;
  #status = 0;
  #headMs = -1;
  /** When something was last seen to come to its end. */
  #advancedMs = 0;
  #upstreamRequestId = '';
  #ended = false;
  tookRoom = false;

  constructor(parts: RelayParts, host: AttemptHost, target: Target, outgoing: Outgoing, asked: Asked) {
    this.#parts = parts;
    this.#host = host;
    this.target = target;
    this.outgoing = outgoing;
    this.#asked = asked;
    this.startedMs = parts.clock.monotonicMs();
  }

  start() {
    const { upstream, openSocket, watch } = this.#parts;
    const { id, setting } = this.target.channel;
    const { url, headers, body, transport } = this.outgoing;
    watch.began(this.target);
    const send = transport === 'websocket' ? openSocket : upstream.send;
    const call: UpstreamCall = send(
      {
        url,
        method: 'POST',
        headers,
        body,
        // Connections of its own (F-20).
        pool: String(id),
        proxy: setting.proxy,
        connectTimeoutMs: setting.connectTimeoutMs,
        firstByteTimeoutMs: this.#firstByteTimeoutMs,
        idleTimeoutMs: this.#idleTimeoutMs,
      },
      {
        ...ignored,
        head: (status, answered) => this.#accept(status, answered, call),
        // Only of what comes before a head: then its sink hears the rest.
        fault: (fault) => this.resolveAttempt({ kind: 'fault', fault: transportFault(fault) }),
      },
    );
    this.#upstream = call;
    this.outgoing.body = nothing;
  }

  /** What was sent, made once more. Undefined: that would take asking somebody. Never throws: a charge waits for it. */
  sentBody(): Buffer | undefined {
    try {
      return bodyFor(this.#asked, this.target.channel);
    } catch (error) {
      this.#parts.log.warn({ err: error, requestId: this.#host.call.id }, 'a request could not be made once more');
      return undefined;
    }
  }

  get caller(): Caller {
    return this.#host.caller;
  }

  /** A model that thinks long does so on every channel: its own limit is before the channel's. */
  get #thinkingMs(): number | undefined {
    const { model, snapshot } = this.#host.call;
    const seconds = snapshot.options.ModelFirstByteSeconds.get(model);
    return seconds === undefined ? undefined : seconds * 1000;
  }

  get #firstByteTimeoutMs(): number {
    const { setting } = this.target.channel;
    return this.#thinkingMs ?? setting.firstByteTimeoutMs ?? this.#parts.env.UPSTREAM_FIRST_BYTE_TIMEOUT_MS;
  }

  /** Many upstreams send their head, and an event without a word, before the model thinks: until it speaks it may be silent as long. */
  get #idleTimeoutMs(): number {
    const idleMs = this.target.channel.setting.idleTimeoutMs ?? this.#parts.env.UPSTREAM_IDLE_TIMEOUT_MS;
    return this.#responder?.hasSpoken === true ? idleMs : Math.max(idleMs, this.#thinkingMs ?? 0);
  }

  get coalesceMs(): number {
    return this.target.channel.setting.coalesceMs ?? 0;
  }

  get drainMs(): number {
    return this.target.channel.setting.drainMs ?? 0;
  }

  startDraining(): (() => void) | undefined {
    return this.#parts.drains.enter();
  }

  get responder(): Responder | undefined {
    return this.#responder;
  }

  elapsedMs(): number {
    return this.#host.elapsedMs();
  }

  dispatch(): Promise<boolean> {
    this.#parts.watch.alive(this.target);
    return this.#host.dispatch();
  }

  settle(report: Report, outcome: AnswerOutcome): Promise<Usage> {
    return this.#host.settle(this, report, outcome);
  }

  resolveAttempt(result: AttemptResult) {
    if (this.#ended) return;
    this.#ended = true;
    this.#host.ended(this, result);
  }

  declareLosses(more: readonly string[]) {
    // Also when there are none: the attempt before may have had some.
    this.caller.note('x-tollgate-losses', lossesHeader(distinctLosses(this.outgoing.losses, more)));
  }

  streamed(body: Buffer, charged: Usage): Buffer | undefined {
    const { protocol, peek } = this.#asked.inquiry;
    const isWanted = peek.stream && clientDialect(protocol) !== undefined;
    return isWanted || this.caller.headSent ? unfolded(body, protocol, { wantsUsage: peek.wantsUsage, charged }) : undefined;
  }

  askAgain(url: URL, sink: BodySink, sinkFor: (status: number) => BodySink): UpstreamCall {
    const { env, upstream } = this.#parts;
    const times = { firstByteTimeoutMs: env.UPSTREAM_FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: env.UPSTREAM_IDLE_TIMEOUT_MS };
    const { channelId, channel } = this.target;
    const place = { url, pool: String(channelId), proxy: channel.setting.proxy, ...times };
    const request = { ...place, method: 'GET', headers: this.outgoing.headers, body: undefined } as const;
    this.#upstream = upstream.send(request, {
      ...ignored,
      head: (status, headers) => decodingSink(first(headers['content-encoding']), sinkFor(status)),
      fault: (fault) => sink.fault(fault),
    });
    return this.#upstream;
  }

  /** The upstream may have accepted it. */
  get wasSent(): boolean {
    return this.#upstream?.sent === true;
  }

  /** Closes the connection without a word to anybody. */
  abandon() {
    this.#ended = true;
    this.#upstream?.abort();
  }

  /** We end it: an answer that began gets an error event, one that did not is a fault. */
  stop(fault: RelayFault) {
    if (this.#responder !== undefined) return this.#responder.interrupt(fault);
    this.#upstream?.abort();
    this.resolveAttempt({ kind: 'fault', fault });
  }

  isOverdue(nowMs: number): boolean {
    const limitMs = this.target.channel.setting.totalTimeoutMs ?? this.#parts.env.UPSTREAM_TOTAL_TIMEOUT_MS;
    return nowMs - this.startedMs > limitMs;
  }

  /** Bytes alone are no progress: within the longest silence something must come to its end. */
  isStuck(nowMs: number): boolean {
    if (this.#responder === undefined) return false;
    if (this.#responder.advanced() || this.#advancedMs === 0) this.#advancedMs = nowMs;
    return nowMs - this.#advancedMs > this.#idleTimeoutMs;
  }

  timeOut() {
    this.stop(localFault('upstream_timeout', {}, { retryable: true, evidence: plainEvidence('network', 'total') }));
  }

  /** A trickle is what silence is. */
  giveUp() {
    this.#upstream?.abort();
    this.#responder?.fault(new UpstreamFault('timeout', `nothing came to its end within ${this.#idleTimeoutMs} ms`));
  }

  record(error: string): AttemptRecord {
    return {
      channelId: this.target.channelId,
      keyIndex: this.target.keyIndex,
      status: this.#status,
      error,
      ms: this.#parts.clock.monotonicMs() - this.startedMs,
      headMs: this.#headMs,
      upstreamRequestId: this.#upstreamRequestId,
      startMs: this.startedMs - this.#host.call.startedMonotonicMs,
    };
  }

  /** Contract 6.6: mapped status, the upstream's message without anything secret. */
  upstreamFault(status: number, body: Buffer, retryAfter?: string): RelayFault {
    const error = this.outgoing.answer.readError(status, body);
    const told = retryAfter ?? retryAfterIn(body, this.target.channel);
    return this.#refused({ status: status === 200 ? 502 : status, error, retryAfter: told, isUnreadable: status === 200 });
  }

  okFault(error: WireError): RelayFault {
    return this.#refused({ status: errorStatus(error), error });
  }

  #refused(refusal: Refusal): RelayFault {
    const rules = {
      keywords: this.#host.call.snapshot.options.AutomaticDisableKeywords,
      saidByCaller: (text: string) => saidByCaller(this.#asked.inquiry.bytes, text),
    };
    return refusalFault(this.target.channel, refusal, this.#parts.clock.nowMs(), rules);
  }

  #accept(status: number, headers: UpstreamHeaders, upstream: UpstreamCall): BodySink {
    this.#status = status;
    this.#headMs = this.#parts.clock.monotonicMs() - this.startedMs;
    this.#upstreamRequestId = requestIdIn(headers, this.target.channel.key);
    if (status === 200 && !this.#host.win(this)) {
      upstream.abort();
      return ignored;
    }
    const responder = this.#responderFor(status, headers, upstream);
    this.#responder = responder;
    if (this.caller.gone) {
      queueMicrotask(() => responder.gone());
      // What comes along with the head is delivered to nobody, and not charged.
      if (status === 200) return ignored;
    }
    const { framing } = this.outgoing.answer;
    const isFramed = isStream(first(headers['content-type']), framing) && (framing !== 'json' || this.#asked.inquiry.peek.stream);
    const sink = status === 200 && isFramed ? framingSink(framing, responder) : responder;
    return decodingSink(first(headers['content-encoding']), status === 200 ? this.#noting(sink) : sink);
  }

  /** What is continued later must go where it began. */
  #noting(sink: BodySink): BodySink {
    if (this.outgoing.answer.passes !== true || !isKept(this.#asked.inquiry)) return sink;
    const { channelId, keyId } = this.target;
    return notingSink(sink, (id) => this.#parts.responseOwners.remember(this.#host.call.key.user.id, id, { channelId, keyId }));
  }

  #responderFor(status: number, headers: UpstreamHeaders, upstream: UpstreamCall): Responder {
    if (status !== 200) {
      const retryAfter = retryAfterTold(status, headers, this.#parts.clock.nowMs());
      return new ErrorResponder(this, upstream, status, retryAfter);
    }
    const { answer, swallowUsage } = this.outgoing;
    const { wantsUsage, n, stream } = this.#asked.inquiry.peek;
    const type = this.#answerType(first(headers['content-type']));
    const isWhole = answer.framing === 'json' && !stream;
    if (isWhole || !isStream(type, answer.framing)) {
      if (type !== undefined && isBytes(type)) return new StreamResponder(this, upstream, createOpaqueTap(), type);
      return new JsonResponder(this, upstream, answer, type);
    }
    const read = stream ? undefined : (answer.readStreamed ?? folding(this.#asked));
    if (read !== undefined) return new JsonResponder(this, upstream, { ...answer, read }, undefined);
    const moreRoom = (bytes: number) => this.takeRoom(bytes);
    const hide = hiderOf(this.target.channel);
    const tap = answer.createTap({ swallowUsage, choices: n, holdDone: wantsUsage, moreRoom, hide });
    return new StreamResponder(this, upstream, tap);
  }

  /** What answers texts is read, whatever it calls itself: functions in a cloud stream all as bytes of no type. */
  #answerType(said: string | undefined): string | undefined {
    const { protocol, peek } = this.#asked.inquiry;
    if (said === undefined || !isBytes(said) || families.get(protocol)?.isText === false) return said;
    return peek.stream && this.outgoing.answer.framing === 'sse' ? 'text/event-stream' : undefined;
  }

  takeRoom(bytes: number): boolean {
    const { place } = this.#asked;
    const isThere = place !== undefined && this.#parts.bodies.grow(place, bytes);
    this.tookRoom ||= isThere;
    return isThere;
  }
}

const nothing = Buffer.alloc(0);

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** For the administrator's eyes: what the vendor's support asks for. */
function requestIdIn(headers: UpstreamHeaders, key: string): string {
  let id = '';
  for (let at = 0; id === '' && at < requestIdHeaders.length; at += 1) id = first(headers[requestIdHeaders[at] ?? '']) ?? '';
  return id === '' ? id : redactText(id, key).slice(0, maxIdChars);
}
