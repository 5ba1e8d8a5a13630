import { createGatherer } from '@tollgate/wire';
import type { BodyLog } from '../usage/index.ts';
import type { Caller } from './caller.ts';
import { faultOf, type RelayFault } from './faults.ts';
import type { Inquiry } from './inquiry.ts';
import type { RelayParts } from './parts.ts';

/** A call whose question and answer are kept. */
export interface Capture {
  /** The caller, overheard. */
  readonly caller: Caller;
  /** The call is over: keeps what was heard, once. `error`: what ended it, of which its caller is told behind this. */
  done(error?: unknown): void;
}

/** A request's own word that nothing of it is to be kept. */
const noBodyHeader = 'x-tollgate-log-body';

interface Owner {
  readonly requestId: string;
  readonly userId: number;
}

/** Undefined: the operator or the caller does not want it, which is the usual case and costs one comparison. */
export function captureOf(parts: RelayParts, owner: Owner, inquiry: Inquiry, caller: Caller): Capture | undefined {
  const { LogBodies: mode, LogBodySampleRate: percent, LogBodyMaxKb: kilobytes } = parts.snapshot().options;
  if (mode === 'none' || inquiry.header(noBodyHeader)?.toLowerCase() === 'none') return undefined;
  if (mode === 'sampled' && parts.random() * 100 >= percent) return undefined;
  const heard = hear(caller, kilobytes * 1024);
  let isKept = false;
  return {
    caller: heard.caller,
    done(error) {
      if (error !== undefined) heard.told(faultOf(error));
      if (isKept || (mode === 'errors' && heard.status < 400)) return;
      isKept = true;
      keep(parts.bodyLog, owner, inquiry.bytes, { status: heard.status, ...heard.take(), limit: kilobytes * 1024 });
    },
  };
}

interface Answered {
  readonly status: number;
  readonly bytes: Buffer;
  readonly isLonger: boolean;
  readonly limit: number;
}

function keep(
  bodyLog: Pick<BodyLog, 'keep'>,
  owner: Owner,
  question: Buffer,
  { status, bytes, isLonger, limit }: Answered,
): void {
  // A copy: what was read of the connection is used again.
  const request = Buffer.from(question.subarray(0, limit));
  bodyLog.keep({ ...owner, status, request, response: bytes, truncated: isLonger || question.length > limit });
}

interface Heard {
  readonly caller: Caller;
  readonly status: number;
  /** Once. */
  take(): Pick<Answered, 'bytes' | 'isLonger'>;
  told(fault: RelayFault): void;
}

/** Keeps the first `limit` bytes of what the caller is told. */
function hear(caller: Caller, limit: number): Heard {
  const said = createGatherer(limit, { lent: true });
  let status = 0;
  const note = (bytes: Buffer | string | undefined): void => {
    if (bytes !== undefined) said.add(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  };
  const told = ({ status: code, code: name, message }: RelayFault) => {
    status = code;
    note(JSON.stringify({ error: { code: name, message } }));
  };
  const overheard: Caller = {
    get headSent() {
      return caller.headSent;
    },
    get gone() {
      return caller.gone;
    },
    get lastWriteMs() {
      return caller.lastWriteMs;
    },
    startStream(contentType) {
      if (status === 0) status = 200;
      caller.startStream(contentType);
    },
    write(bytes) {
      note(bytes);
      return caller.write(bytes);
    },
    // All that is said is to be heard.
    passage: () => undefined,
    end(bytes) {
      note(bytes);
      caller.end(bytes);
    },
    answer(code, body, contentType = 'application/json') {
      status = code;
      note(/json|text|xml/.test(contentType) ? body : `[${contentType}, ${body.length} bytes]`);
      caller.answer(code, body, contentType);
    },
    note: (name, value) => caller.note(name, value),
    fail(fault) {
      told(fault);
      caller.fail(fault);
    },
    onDrain: (listener) => caller.onDrain(listener),
    onTaken: (listener) => caller.onTaken(listener),
    onGone: (listener) => caller.onGone(listener),
  };
  return {
    caller: overheard,
    told,
    get status() {
      return status;
    },
    take() {
      const { over: isLonger } = said;
      return { bytes: said.take(), isLonger };
    },
  };
}
