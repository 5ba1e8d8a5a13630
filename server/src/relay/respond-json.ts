import type { LogCut } from '@tollgate/contract';
import { createGatherer } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { UpstreamCall, UpstreamFault } from '../platform/http/client.ts';
import type { AnswerPlan, AnswerReading } from './answer-plan.ts';
import { ignored, transportFault } from './attempt.ts';
import { afterAcceptance, localFault, type RelayFault, unreadableAnswer } from './faults.ts';
import { type AnswerContext, endsLine, type Responder } from './responder.ts';

/** 2,048 vectors of 3,072 numbers take 33 MB, three pictures of 3840 x 2160 some 46. */
const maxAnswerBytes = 48 * 1024 * 1024;
/** What an answer has without asking, and what it asks for at a time from there on. */
const roomBytes = 4 * 1024 * 1024;
/** Of background work, with the pauses that its vendor names. */
const maxPolls = 100;
const maxErrorBytes = 64 * 1024;
/** Questions after it in a row that may fail: what is made goes on all the while. */
const maxMissed = 5;
const passing = (status: number) => status === 408 || status === 429 || status >= 500;
/** Of an answer or a refusal, within the longest silence: less is a trickle. */
const leastBytes = 256;

type Pending = Extract<AnswerReading, { kind: 'pending' }>;

/** Reads a whole answer, charges it, then sends it: a delivered answer is a charged answer. */
export class JsonResponder implements Responder {
  readonly #open: AnswerContext;
  #upstream: UpstreamCall;
  readonly #plan: AnswerPlan;
  readonly #contentType: string | undefined;
  readonly #body = createGatherer(maxAnswerBytes);
  #roomBytes = roomBytes;
  #polls = 0;
  #missed = 0;
  #next: Pending | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  /** Between two questions after what is made in the background. */
  #isResting = false;
  #closed = false;
  #seenBytes = 0;
  #isAlive = true;
  readonly metered = 0;
  readonly answered = 0;

  constructor(open: AnswerContext, upstream: UpstreamCall, plan: AnswerPlan, contentType: string | undefined) {
    this.#open = open;
    this.#contentType = contentType;
    this.#upstream = upstream;
    this.#plan = plan;
  }

  get hasSpoken(): boolean {
    return this.#body.bytes > 0;
  }

  advanced(): boolean {
    const { bytes } = this.#body;
    const has = this.#isAlive || this.#isResting || bytes - this.#seenBytes >= leastBytes;
    if (has) this.#seenBytes = bytes;
    this.#isAlive = false;
    return has;
  }

  data(chunk: Buffer) {
    if (this.#closed) return;
    if (endsLine(chunk)) this.#isAlive = true;
    const isWithin = this.#body.add(chunk);
    if (isWithin && this.#hasRoom()) return;
    this.#upstream.abort();
    // Bounds of ours say nothing about the channel.
    if (isWithin) return this.#reject(localFault('overloaded', {}, { retryAfterSeconds: 1 }));
    this.#reject(localFault('upstream_error', { reason: 'the answer is too large' }));
  }

  /** What it took for an answer is there for the next, when the upstream is asked again. */
  #hasRoom(): boolean {
    while (this.#body.bytes > this.#roomBytes) {
      if (!this.#open.takeRoom(roomBytes)) return false;
      this.#roomBytes += roomBytes;
    }
    return true;
  }

  end() {
    if (this.#closed) return;
    try {
      this.#judge();
    } catch (error) {
      this.#closed = true;
      this.#open.resolveAttempt({ kind: 'broken', error });
    }
  }

  #judge() {
    const body = this.#body.take();
    const answer = this.#plan.read(body);
    if (answer.kind === 'error') return this.#reject(this.#open.okFault(answer.error));
    this.#missed = 0;
    if (answer.kind === 'pending') return this.#wait(answer);
    if (answer.kind === 'invalid')
      return this.#reject(answer.reason === 'empty' ? afterAcceptance(unreadableAnswer()) : this.#open.upstreamFault(200, body));
    const text = answer.usage === undefined ? answer.text() : '';
    const { losses = [] } = answer;
    if (losses.length > 0) this.#open.declareLosses(losses);
    const { usage: told, pictures, served } = answer;
    void this.#settle({ usage: told, pictures, served, text, unkeptBytes: 0, losses }, undefined, (usage) => {
      const sent = answer.withUsage?.(usage) ?? answer.body ?? body;
      const { caller } = this.#open;
      const stream = this.#open.streamed(sent, usage);
      if (stream === undefined) return caller.answer(200, sent, answer.body === undefined ? this.#contentType : undefined);
      caller.startStream();
      caller.end(stream);
    });
  }

  /** The upstream works in the background; it is asked again until it is done, or the call's time is over. */
  #wait(next: Pending) {
    this.#next = next;
    const { url, afterMs } = next;
    this.#polls += 1;
    if (this.#polls > maxPolls) return this.#reject(localFault('upstream_timeout'));
    this.#isResting = true;
    this.#pollTimer = setTimeout(() => {
      this.#isResting = false;
      this.#upstream = this.#open.askAgain(url, this, (status) => {
        if (!passing(status) || !this.#asksOn()) return this;
        this.#upstream.abort();
        return ignored;
      });
    }, afterMs);
  }

  /** A question that failed is asked again. False: there was none, or too many did. */
  #asksOn(): boolean {
    if (this.#closed || this.#next === undefined || this.#missed >= maxMissed) return false;
    this.#missed += 1;
    this.#body.take();
    this.#wait(this.#next);
    return true;
  }

  fault(fault: UpstreamFault) {
    // What cannot be unpacked may go on all the same.
    this.#upstream.abort();
    if (this.#closed || this.#asksOn()) return;
    const known = transportFault(fault);
    this.#reject(fault.kind === 'timeout' && this.#body.bytes === 0 ? afterAcceptance(known) : known);
  }

  /** Nothing was delivered: the prompt only. */
  gone() {
    if (this.#closed) return;
    this.#upstream.abort();
    void this.#settle({ usage: undefined, text: '', unkeptBytes: 0 }, 'caller_left', () => undefined);
  }

  interrupt(fault: RelayFault) {
    if (this.#closed) return;
    this.#upstream.abort();
    this.#reject(fault);
  }

  async #settle(report: Parameters<AnswerContext['settle']>[0], cut: LogCut | undefined, deliver: (usage: Usage) => void) {
    this.#closed = true;
    clearTimeout(this.#pollTimer);
    try {
      deliver(await this.#open.settle(report, { firstByteMs: this.#open.elapsedMs(), cut, brokenOff: false }));
      const { caller, tookRoom } = this.#open;
      const over = () => this.#open.resolveAttempt({ kind: 'answered' });
      if (tookRoom && cut === undefined) caller.onTaken(over);
      else over();
    } catch (error) {
      this.#open.resolveAttempt({ kind: 'broken', error });
    }
  }

  #reject(fault: RelayFault) {
    this.#closed = true;
    clearTimeout(this.#pollTimer);
    this.#open.resolveAttempt({ kind: 'fault', fault });
  }
}

/** Reads the body of a refusal and turns it into a fault in the caller's terms. */
export class ErrorResponder implements Responder {
  readonly #open: AnswerContext;
  readonly #upstream: UpstreamCall;
  readonly #status: number;
  readonly #retryAfter: string | undefined;
  readonly #body = createGatherer(maxErrorBytes);
  readonly metered = 0;
  readonly answered = 0;
  readonly hasSpoken = true;
  readonly advanced = () => false;

  constructor(open: AnswerContext, upstream: UpstreamCall, status: number, retryAfter: string | undefined) {
    this.#open = open;
    this.#upstream = upstream;
    this.#status = status;
    this.#retryAfter = retryAfter;
  }
  data(chunk: Buffer) {
    if (this.#body.add(chunk)) return;
    this.#upstream.abort();
    this.end();
  }
  end() {
    try {
      const fault = this.#open.upstreamFault(this.#status, this.#body.take(), this.#retryAfter);
      this.#open.resolveAttempt({ kind: 'fault', fault });
    } catch (error) {
      this.#open.resolveAttempt({ kind: 'broken', error });
    }
  }
  /** The status was read: a body that breaks off changes nothing. */
  fault() {
    this.gone();
  }
  gone() {
    this.#upstream.abort();
    this.end();
  }
  interrupt() {
    this.gone();
  }
}
