import type { LogCut } from '@tollgate/contract';
import { isSilent, type Tap, type TapEnd } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { UpstreamCall, UpstreamFault } from '../platform/http/client.ts';
import { faultOf } from '../platform/http/fault.ts';
import type { Passage } from '../platform/http/served.ts';
import { transportFault } from './attempt.ts';
import { Coalescer } from './coalescer.ts';
import { afterAcceptance, localFault, type RelayFault, unreadableAnswer } from './faults.ts';
import { bytesPerToken } from './prompt-size.ts';
import { type AnswerContext, type AnswerOutcome, endsLine, type Report, type Responder } from './responder.ts';

const eventStream = 'text/event-stream';
/** What a connection may bring behind the end of an answer and still serve the next one. */
const mostPiecesBehind = 16;
/** Of what we end ourselves. */
const cutBy: Readonly<Record<string, LogCut>> = { upstream_timeout: 'timeout', stream_quota_exhausted: 'quota' };

/**
 * Forwards one streamed answer. Nothing is written before the first frame shows that it is an answer (the commit point),
 * nothing before the call is durably marked, and the terminator only after the charge is durable.
 */
export class StreamResponder implements Responder {
  // What each piece needs stands first: it lies on one line of the processor's cache.
  /** While pieces may go to the caller as they come. */
  #passage: Passage | undefined;
  readonly #tap: Tap;
  readonly #open: AnswerContext;
  readonly #upstream: UpstreamCall;
  readonly #contentType: string;
  /** Where pieces wait for others. */
  readonly #coalescer: Coalescer | undefined;
  /** Answer bytes that wait for the commit point, for the durable mark or for the charge. */
  #held: Buffer[] = [];
  #state: 'waiting' | 'marking' | 'flowing' | 'closed' = 'waiting';
  #firstByteMs: number | undefined;
  #paused = false;
  /** What the caller was written it has not taken yet. */
  #isFull = false;
  /** Ends of lines that were no events: comments are a sign of life, too. */
  #lines = 0;
  /** Events and lines at the last look. */
  #seen = -1;
  #isBroken = false;
  #isLate = false;
  #piecesBehind = 0;
  /** The caller left, and the upstream is read on: what had been delivered of the text, and how that ends. */
  #draining: { readonly deliveredBytes: number; stop(): void } | undefined;
  /** What happened while the mark was being written. */
  #afterMark: (() => void) | undefined;

  constructor(open: AnswerContext, upstream: UpstreamCall, tap: Tap, contentType = eventStream) {
    this.#open = open;
    this.#upstream = upstream;
    this.#tap = tap;
    this.#contentType = contentType;
    this.#coalescer = open.coalesceMs === 0 ? undefined : new Coalescer(open, (bytes) => this.#send(bytes));
  }

  /** An event is a token or many: its text says how many. What is no stream of events is sold by what was asked for. */
  get metered(): number {
    if (this.#contentType !== eventStream) return 0;
    return Math.max(this.#tap.events, Math.ceil(this.#tap.textBytes / bytesPerToken));
  }

  /** A token may come in several events, and one event may hold a picture as text: of both measures the smaller. */
  get answered(): number {
    if (this.#contentType !== eventStream) return 0;
    const { events, textBytes, thoughtBytes } = this.#tap;
    return Math.min(events, Math.ceil((textBytes - thoughtBytes) / bytesPerToken));
  }

  get hasSpoken(): boolean {
    return this.#contentType === eventStream ? this.#tap.textBytes > 0 : this.#tap.begun;
  }

  advanced(): boolean {
    const seen = this.#tap.events + this.#lines;
    const has = seen !== this.#seen || this.#paused;
    this.#seen = seen;
    return has;
  }

  /** A piece that is ordinary and waits for nothing: nothing is made of it. */
  lent(bytes: Buffer, from: number, to: number): boolean {
    const passage = this.#passage;
    if (passage === undefined || this.#tap.passes?.(bytes, from, to) !== true) return false;
    if (!passage.chunk(bytes, from, to)) this.#waitForCaller();
    return true;
  }

  data(chunk: Buffer) {
    try {
      this.#take(chunk);
    } catch (error) {
      this.fault(faultOf(error));
    }
  }

  #take(chunk: Buffer) {
    if (this.#state === 'closed') return this.#behind();
    const out = this.#tap.push(chunk);
    if (endsLine(chunk)) this.#lines += 1;
    const { closed } = this.#tap;
    if (out !== undefined) {
      // The last bytes wait for the charge.
      if (this.#draining !== undefined) this.#held.length = 0;
      else if (this.#state === 'flowing' && !closed) this.#write(out);
      else this.#held.push(out);
    }
    if (this.#state === 'waiting') this.#judge();
    else if (this.#state === 'flowing' && closed) this.#finish();
  }

  /** Nobody looks at a call that is over: its upstream would be heard for as long as it likes. */
  #behind() {
    this.#piecesBehind += 1;
    if (this.#piecesBehind > mostPiecesBehind) this.#upstream.abort();
  }

  end() {
    this.#whenMarked(() => this.#ended(unreadableAnswer()));
  }

  fault(fault: UpstreamFault) {
    // What cannot be unpacked, or is no stream, may go on all the same.
    this.#upstream.abort();
    this.#isBroken = true;
    this.#isLate = fault.kind === 'timeout';
    this.#whenMarked(() => this.#ended(transportFault(fault)));
  }

  /** The caller left: stop paying for what nobody reads, charge what was delivered, or what its upstream will charge for it. */
  gone() {
    if (this.#state === 'flowing' && this.#drain()) return;
    this.#left();
  }

  #left() {
    this.#upstream.abort();
    this.#whenMarked(() => this.#close('caller_left', () => undefined));
  }

  /** Reads on for the usage alone. False: at once it is. */
  #drain(): boolean {
    const { drainMs } = this.#open;
    const leave = drainMs === 0 || this.#tap.closed ? undefined : this.#open.startDraining();
    if (leave === undefined) return false;
    const timer = setTimeout(() => this.#left(), drainMs);
    this.#draining = {
      deliveredBytes: this.#tap.textBytes,
      stop: () => {
        clearTimeout(timer);
        leave();
      },
    };
    this.#passage = undefined;
    this.#coalescer?.flush();
    this.#resume();
    return true;
  }

  /** Ends the answer from our side with an error event; for a caller who has left it had ended before. */
  interrupt(fault: RelayFault) {
    if (this.#draining !== undefined) return this.#left();
    this.#upstream.abort();
    // As after silence: another channel may still answer.
    if (fault.retryable && this.#state === 'waiting' && !this.#tap.begun) return this.#reject(afterAcceptance(fault));
    this.#whenMarked(() =>
      this.#close(cutBy[fault.code] ?? 'gateway', () => {
        this.#open.caller.startStream(this.#contentType);
        this.#open.caller.fail(fault);
      }),
    );
  }

  #whenMarked(action: () => void) {
    if (this.#state === 'closed') return;
    if (this.#state === 'marking') {
      this.#afterMark ??= action;
      return;
    }
    try {
      action();
    } catch (error) {
      this.#break(error);
    }
  }

  /** The upstream sends no more. Before any event that is a fault, afterwards the end of the answer, cut or not. */
  #ended(fault: RelayFault) {
    if (this.#state === 'waiting' && !this.#tap.begun) this.#rejectUnsent(fault);
    else this.#finish();
  }

  /** Looks at what has come before anything was forwarded. */
  #judge() {
    if (this.#tap.begun) {
      this.#firstByteMs = this.#open.elapsedMs();
      if (this.#tap.closed) this.#finish();
      else void this.#mark().catch((error: unknown) => this.#break(error));
    } else if (this.#tap.closed) {
      this.#upstream.abort();
      this.#rejectUnsent(unreadableAnswer());
    }
  }

  /** No output without a durable mark on a durable hold. */
  async #mark() {
    this.#state = 'marking';
    this.#pause();
    const alive = await this.#open.dispatch();
    this.#state = 'flowing';
    if (this.#afterMark === undefined && !alive) return this.interrupt(localFault('billing_unavailable'));
    if (!this.#open.caller.gone) {
      this.#open.caller.startStream(this.#contentType);
      if (!this.#tap.closed) for (const bytes of this.#held.splice(0)) this.#write(bytes);
      if (this.#coalescer === undefined) this.#passage = this.#open.caller.passage();
    }
    if (this.#afterMark !== undefined) this.#afterMark();
    else if (this.#tap.closed) this.#finish();
    else this.#resume();
  }

  #send(bytes: Buffer) {
    if (!this.#open.caller.write(bytes)) this.#waitForCaller();
  }

  #waitForCaller() {
    this.#isFull = true;
    this.#pause();
    this.#open.caller.onDrain(() => {
      this.#isFull = false;
      this.#resume();
    });
  }

  #write(bytes: Buffer) {
    if (this.#coalescer === undefined) this.#send(bytes);
    else this.#coalescer.write(bytes);
  }

  #pause() {
    if (this.#paused) return;
    this.#paused = true;
    this.#upstream.pause();
  }

  #resume() {
    if (!this.#paused) return;
    this.#paused = false;
    this.#upstream.resume();
  }

  /** The answer is over: charge, then let the last bytes go. A cut answer ends with an error event instead of a forged end. */
  #finish() {
    // What is no answer any more would go on for as long as the upstream likes.
    if (this.#tap.fault !== undefined) this.#upstream.abort();
    if (this.#draining !== undefined) return this.#close('caller_left', () => undefined);
    this.#close(undefined, ({ complete, error, fault, closing }, usage) => {
      const { caller } = this.#open;
      caller.startStream(this.#contentType);
      for (const bytes of this.#held.splice(0)) this.#say(bytes);
      const last = closing(usage);
      if (last !== undefined) this.#say(last);
      const end = () => {
        // The upstream's own error event was forwarded.
        if (complete || error !== undefined) caller.end();
        else caller.fail(localFault(fault === 'no-room' ? 'overloaded' : 'stream_response_error'));
      };
      return this.#isFull && this.#open.tookRoom && !caller.gone ? this.#taken().then(end) : end();
    });
    this.#resume();
  }

  #say(bytes: Buffer) {
    if (!this.#open.caller.write(bytes)) this.#isFull = true;
  }

  /** The caller has taken what was written, or has left. */
  #taken(): Promise<void> {
    const { caller } = this.#open;
    return new Promise((resolve) => {
      caller.onDrain(resolve);
      caller.onGone(resolve);
    });
  }

  #rejectUnsent(fallback: RelayFault) {
    const { error, unsent, fault } = this.#tap.end();
    // Whatever it is, it was made, and others would make the same.
    if (fault === 'frame-too-long') this.#reject(localFault('upstream_error', { reason: 'an event of the answer is too large' }));
    else if (fault === 'no-room') this.#reject(localFault('overloaded', {}, { retryAfterSeconds: 1 }));
    else if (error !== undefined) this.#reject(this.#open.okFault(error));
    else if (!isSilent(unsent)) this.#reject(this.#open.upstreamFault(200, unsent));
    else this.#reject(this.#isBroken && !this.#isLate ? fallback : afterAcceptance(fallback));
  }

  #reject(fault: RelayFault) {
    this.#state = 'closed';
    this.#open.resolveAttempt({ kind: 'fault', fault });
  }

  #close(cut: LogCut | undefined, deliver: (ended: TapEnd, usage: Usage) => void | Promise<void>) {
    this.#state = 'closed';
    this.#passage = undefined;
    this.#coalescer?.flush();
    const ended = this.#tap.end(this.#isBroken);
    const report = reportOf(ended, this.#draining?.deliveredBytes ?? ended.textBytes, this.#open.caller.gone);
    this.#stopDraining();
    const outcome = {
      firstByteMs: this.#firstByteMs,
      cut: cut ?? this.#cutOf(ended),
      // Bounds of ours say nothing about the channel, and a request that it refuses while it answers does not either.
      brokenOff: cut === undefined && !ended.complete && !isBeyondBounds(ended) && !this.#isRefusal(ended),
    };
    void this.#charge(report, outcome, (usage) => deliver(ended, usage));
  }

  #isRefusal({ error }: TapEnd): boolean {
    return error !== undefined && this.#open.okFault(error).evidence?.class === 'client';
  }

  #cutOf(ended: TapEnd): LogCut | undefined {
    if (ended.complete) return undefined;
    if (isBeyondBounds(ended)) return 'gateway';
    return this.#isLate ? 'timeout' : 'upstream_broke_off';
  }

  async #charge(report: Report, outcome: AnswerOutcome, deliver: (usage: Usage) => void | Promise<void>) {
    try {
      const delivering = deliver(await this.#open.settle(report, outcome));
      if (delivering !== undefined) await delivering;
      this.#open.resolveAttempt({ kind: 'answered' });
    } catch (error) {
      this.#break(error);
    }
  }

  #stopDraining() {
    this.#draining?.stop();
    this.#draining = undefined;
  }

  /** By a defect of ours: whoever waits for the attempt hears of it, nobody else does. */
  #break(error: unknown) {
    this.#state = 'closed';
    this.#stopDraining();
    this.#upstream.abort();
    this.#open.resolveAttempt({ kind: 'broken', error });
  }
}

/** It was we who ended it: for want of room, or since it is more than an answer may be. */
function isBeyondBounds({ fault }: TapEnd): boolean {
  return fault !== undefined && fault !== 'malformed';
}

/**
 * What was read after the caller had left is not delivered text, and counts where the upstream counted it. Pictures are not
 * counted for a caller who left before their end: the upstream makes all that were asked for.
 */
function reportOf(ended: TapEnd, deliveredBytes: number, isGone: boolean): Report {
  const text = ended.text();
  const keptBytes = Math.min(deliveredBytes, ended.keptTextBytes);
  const share = ended.keptTextBytes === 0 ? 1 : keptBytes / ended.keptTextBytes;
  return {
    usage: ended.usage,
    ...(ended.promptUsage === undefined ? {} : { promptUsage: ended.promptUsage }),
    text: share === 1 ? text : text.slice(0, Math.ceil(text.length * share)),
    unkeptBytes: deliveredBytes - keptBytes,
    keptBytes,
    losses: ended.losses,
    served: ended.served,
    ...(isGone && !ended.complete ? {} : { pictures: ended.pictures }),
  };
}
