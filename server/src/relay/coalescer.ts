import type { AnswerContext } from './responder.ts';

/** As much as waits for others. */
const mostBytes = 16_384;

/** Writes pieces of a stream together, for as long as its channel says; the first one after a rest does not wait. */
export class Coalescer {
  readonly #context: Pick<AnswerContext, 'coalesceMs' | 'elapsedMs'>;
  readonly #send: (bytes: Buffer) => void;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushedMs = 0;

  constructor(context: Pick<AnswerContext, 'coalesceMs' | 'elapsedMs'>, send: (bytes: Buffer) => void) {
    this.#context = context;
    this.#send = send;
  }

  write(bytes: Buffer) {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    const { coalesceMs } = this.#context;
    const restsMs = this.#flushedMs + coalesceMs - this.#context.elapsedMs();
    if (restsMs <= 0 || this.#bytes >= mostBytes) this.flush();
    else this.#timer ??= setTimeout(this.flush, restsMs);
  }

  readonly flush = () => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pieces = this.#pieces;
    const [first] = pieces;
    if (first === undefined) return;
    const bytes = pieces.length === 1 ? first : Buffer.concat(pieces, this.#bytes);
    pieces.length = 0;
    this.#bytes = 0;
    this.#flushedMs = this.#context.elapsedMs();
    this.#send(bytes);
  };
}
