import { createFrameSplitter, openaiResponses } from '@tollgate/wire';
import type { Answer, AnswerHeaders } from '../platform/http/served.ts';

interface Peer {
  /** False: it reads slower than we write. */
  send(text: string): boolean;
  /** Room for so many bytes more, until the conversation is over. */
  moreRoom(bytes: number): boolean;
  /** An error in the dialect, for an answer that is not whole. */
  readonly brokenOff: string;
}

/** What the answer came to. */
export interface Answered {
  /** Undefined: it failed, or nothing can continue it. */
  readonly responseId: string | undefined;
  /** Raw JSON texts of its items, joined by commas. */
  readonly items: string;
}

/** The answer to one call on its way through a conversation: each event of its stream is a message, and so is a refusal. */
export class SocketAnswer implements Answer {
  readonly over: Promise<Answered>;
  headSent = false;
  gone = false;
  readonly #peer: Peer;
  readonly #frames: ReturnType<typeof createFrameSplitter>;
  readonly #items: string[] = [];
  #responseId: string | undefined;
  /** The caller knows that nothing comes behind. */
  #isTold = false;
  #isEnded = false;
  #isFull = false;
  #drained: (() => void) | undefined;
  #left: (() => void) | undefined;
  #taken: (() => void) | undefined;
  #resolve: (answered: Answered) => void = () => undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
    this.#frames = createFrameSplitter(undefined, peer.moreRoom);
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  head() {
    this.headSent = true;
  }

  write(bytes: Buffer | string): boolean {
    const frames = this.#frames;
    if (this.#isEnded) return true;
    if (!frames.feed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)) {
      // Nobody takes the rest.
      this.left();
      return true;
    }
    while (frames.next()) this.#tell(openaiResponses.socketEvent(frames.buffer.subarray(frames.frameStart, frames.frameEnd)));
    frames.keepRest();
    return !this.#isFull;
  }

  passage() {
    return undefined;
  }

  end(bytes?: Buffer | string) {
    if (bytes !== undefined) this.write(bytes);
    this.destroy();
  }

  whole(status: number, headers: AnswerHeaders, body: Buffer | string) {
    this.headSent = true;
    const later = headers['retry-after'];
    const told: Record<string, string> = later === undefined ? {} : { 'retry-after': String(later) };
    this.#tell({ text: openaiResponses.socketError(status, body.toString(), told), end: {} });
    this.destroy();
  }

  /** However it ends, its caller is told: a conversation has no end of an answer beside its last event. */
  destroy() {
    if (this.#isEnded) return;
    if (!this.#isTold) this.#tell({ text: this.#peer.brokenOff, end: {} });
    this.#isEnded = true;
    this.#resolve({ responseId: this.#responseId, items: openaiResponses.joined(this.#items) });
  }

  onDrain(listener: () => void) {
    this.#drained = listener;
  }

  onTaken(listener: () => void) {
    if (this.#isFull && !this.gone) this.#taken = listener;
    else queueMicrotask(listener);
  }

  onGone(listener: () => void) {
    this.#left = listener;
  }

  /** What waited for the caller was taken. */
  drained() {
    this.#isFull = false;
    const [drained, taken] = [this.#drained, this.#taken];
    this.#drained = undefined;
    this.#taken = undefined;
    drained?.();
    taken?.();
  }

  /** The connection is no more. */
  left() {
    const isCut = !this.#isEnded;
    this.gone = true;
    this.destroy();
    if (isCut) this.#left?.();
    this.#taken?.();
    this.#taken = undefined;
  }

  #tell({ text, item, end }: ReturnType<typeof openaiResponses.socketEvent>) {
    if (text === undefined || this.#isTold) return;
    if (item !== undefined) this.#items.push(item);
    if (end !== undefined) {
      this.#isTold = true;
      this.#responseId = end.responseId;
    }
    if (!this.#peer.send(text)) this.#isFull = true;
  }
}
