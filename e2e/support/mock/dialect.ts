import type { MockRequest } from './records.ts';
import type { MockScript } from './script.ts';

/** What a dialect makes of a request: a body, in pieces that are paced when it is a stream. */
export interface MockAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
  /** True: the pieces go out one by one, `chunkDelayMs` apart. */
  readonly paced: boolean;
}

/** One dialect at one path. Pure: the same request and script give the same answer. */
export type Dialect = (request: MockRequest, script: MockScript) => MockAnswer;

/** A JSON answer in one piece. */
export function jsonAnswer(status: number, value: unknown): MockAnswer {
  return { status, contentType: 'application/json', pieces: [Buffer.from(JSON.stringify(value))], paced: false };
}

const ends = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** A server-sent event or, with `comment`, a comment, in the script's line ends. */
export function eventBytes(script: MockScript, data: string, comment = false): Buffer {
  const end = ends[script.eol ?? 'lf'];
  return Buffer.from(comment ? `: ${data}${end}${end}` : `data: ${data}${end}${end}`);
}
