/** How the mock answers one request. Everything has a default; an empty script is a friendly upstream. */
export interface MockScript {
  /** The reply; one chunk per word unless `chunks` says otherwise. */
  readonly text?: string;
  /** Number of content chunks of a stream; the text is repeated or cut to fit. */
  readonly chunks?: number;
  readonly chunkDelayMs?: number;
  /** Before the status line. */
  readonly delayMs?: number;
  /** `normal`: as the caller asked for it; `always`: also unasked; `absurd`: impossible figures; or a usage object. */
  readonly usage?: 'normal' | 'always' | 'missing' | 'absurd' | 'cached' | 'zero' | Readonly<Record<string, unknown>>;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** The status line waits for it. */
  readonly until?: Promise<unknown>;
  /** The last piece of a stream waits for it. */
  readonly end?: Promise<unknown>;
  /** Any other status than 200 answers with `body`, or with an error of the dialect. */
  readonly status?: number;
  readonly retryAfter?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the dialect's own body: text as it is, an object as JSON. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  /** Status 200 with an error: as JSON, or as the first event of a stream. */
  readonly errorIn200?: boolean;
  /** An error event after so many content chunks, instead of the rest. */
  readonly errorAfterChunks?: number;
  /** `reset`, `hang`: before the status line; `hang-after-headers`: nothing follows them. */
  readonly fault?: 'reset' | 'hang' | 'hang-after-headers';
  /** Ends the body after so many bytes: `clean` as if it were complete, `fin` and `rst` by closing the connection. */
  readonly cutAtByte?: number;
  readonly cut?: 'clean' | 'fin' | 'rst' | 'hang';
  readonly gzip?: boolean;
  readonly eol?: 'lf' | 'crlf' | 'cr';
  /** A comment before every so many chunks. */
  readonly commentEvery?: number;
  /** False: the stream ends without its terminator. */
  readonly done?: boolean;
  readonly finishReason?: string;
  /** The reply is this tool call instead of text. */
  readonly tool?: { readonly name: string; readonly arguments: string };
  /** Reasoning text before the reply. */
  readonly reasoning?: string;
}

const numeric: ReadonlySet<string> = new Set([
  'chunks',
  'chunkDelayMs',
  'delayMs',
  'promptTokens',
  'completionTokens',
  'status',
  'errorAfterChunks',
  'cutAtByte',
  'commentEvery',
]);
const flags: ReadonlySet<string> = new Set(['errorIn200', 'gzip', 'done']);
const texts: ReadonlySet<string> = new Set([
  'text',
  'usage',
  'retryAfter',
  'body',
  'contentType',
  'fault',
  'cut',
  'eol',
  'finishReason',
  'reasoning',
]);

/** Reads `status=429&retryAfter=2`. Throws on a name or number that is not known, so that a typo cannot pass a test. */
export function parseScript(query: string): MockScript {
  const script: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (numeric.has(name)) {
      script[name] = Number(value);
      if (!Number.isFinite(script[name])) throw new Error(`mock script: ${name} is not a number`);
    } else if (flags.has(name)) script[name] = value !== 'false' && value !== '0';
    else if (texts.has(name)) script[name] = value;
    else throw new Error(`mock script: unknown name ${name}`);
  }
  return script;
}

/**
 * The script in a model name: `any-name?status=500`, or the short forms `s<chunks>i<ms>` (a stream) and `d<ms>` (a delay).
 * Undefined for a plain name.
 */
export function scriptOfModel(model: string): MockScript | undefined {
  const question = model.indexOf('?');
  if (question >= 0) return parseScript(model.slice(question + 1));
  const stream = /^s(\d{1,6})i(\d{1,6})$/.exec(model);
  if (stream !== null) return { chunks: Number(stream[1]), chunkDelayMs: Number(stream[2]) };
  const delay = /^d(\d{1,6})$/.exec(model);
  return delay === null ? undefined : { delayMs: Number(delay[1]) };
}
