import { createGatherer, type Gatherer } from '@tollgate/wire';
import { readMessage } from './event-stream.ts';

/**
 * How a streamed answer is cut into events. `json-lines`: one JSON text per line. `json`: one whole answer although a
 * stream was asked for. `aws-event-stream`: binary messages with checksums (application/vnd.amazon.eventstream).
 */
export type Framing = 'sse' | 'json-lines' | 'json' | 'aws-event-stream';

/** Turns an upstream's framing into server-sent events. Never throws; costs time in proportion to the bytes. */
export interface Framer {
  /** The events that this chunk completes; undefined when it completes none, and always after a fault. */
  push(chunk: Buffer): Buffer | undefined;
  /** What the end of the bytes completes; an event that was cut is left out. */
  end(): Buffer | undefined;
  /** Why nothing more will come: an event is too long, or the bytes are not of this framing. */
  readonly fault: 'frame-too-long' | 'malformed' | undefined;
}

const maxEventBytes = 4 * 1024 * 1024;
const LF = 0x0a;

/** A framer for one answer; undefined for `sse`, which is passed as it comes. */
export function createFramer(framing: Framing, limitBytes: number = maxEventBytes): Framer | undefined {
  if (framing === 'sse') return undefined;
  if (framing === 'aws-event-stream') return new MessageFramer(limitBytes);
  return new TextFramer(framing === 'json-lines', limitBytes);
}

/** Chunks that wait for the rest of their event; the framers bound it. A chunk's memory belongs to the reader again after the call. */
function createWaiting(): Gatherer {
  return createGatherer(Number.POSITIVE_INFINITY, { lent: true });
}

/** Each line is an event, or all of the text is one. */
class TextFramer implements Framer {
  readonly #byLine: boolean;
  readonly #limit: number;
  readonly #waiting = createWaiting();
  fault: Framer['fault'];

  constructor(byLine: boolean, limit: number) {
    this.#byLine = byLine;
    this.#limit = limit;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.fault !== undefined) return undefined;
    const end = this.#byLine ? chunk.lastIndexOf(LF) + 1 : 0;
    if (end === 0) {
      this.#keep(chunk);
      return undefined;
    }
    this.#waiting.add(chunk.subarray(0, end));
    const text = this.#waiting.take().toString('utf8');
    this.#keep(chunk.subarray(end));
    return joined(text.split('\n').map(eventOf));
  }

  #keep(chunk: Buffer): void {
    this.#waiting.add(chunk);
    if (this.#waiting.bytes > this.#limit) this.fault = 'frame-too-long';
  }

  end(): Buffer | undefined {
    return this.fault === undefined ? joined([eventOf(this.#waiting.take().toString('utf8'))]) : undefined;
  }
}

/** Line breaks between the tokens of a JSON text mean nothing, and inside of its strings they cannot stand. */
function eventOf(json: string): string {
  const line = json.replace(/[\r\n\ufeff]+/g, ' ').trim();
  return line === '' ? '' : `data: ${line}\n\n`;
}

function joined(events: readonly string[]): Buffer | undefined {
  const text = events.join('');
  return text === '' ? undefined : Buffer.from(text);
}

class MessageFramer implements Framer {
  readonly #limit: number;
  readonly #waiting = createWaiting();
  #wanted = 0;
  fault: Framer['fault'];

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.fault !== undefined) return undefined;
    this.#waiting.add(chunk);
    if (this.#waiting.bytes < this.#wanted) return undefined;
    let bytes = this.#waiting.take();
    const events: string[] = [];
    for (;;) {
      const message = readMessage(bytes, this.#limit);
      if (message.kind === 'fault') {
        this.fault = message.fault;
        break;
      }
      if (message.kind === 'more') {
        this.#wanted = message.wantedBytes;
        this.#waiting.add(bytes);
        break;
      }
      events.push(message.event);
      bytes = bytes.subarray(message.length);
    }
    return joined(events);
  }

  end(): undefined {
    return undefined;
  }
}
