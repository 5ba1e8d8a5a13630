import type { chat, TokenUsage, WireError } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { BodySink, UpstreamCall } from '../platform/http/client.ts';
import type { AttemptResult } from './attempt.ts';
import type { Caller } from './caller.ts';
import type { RelayFault } from './faults.ts';
import type { CallOutcome } from './log-draft.ts';

/** Reads an answer's body and brings it to the caller. */
export interface Responder extends BodySink {
  /** Completion tokens received so far, roughly: the live meter. */
  readonly metered: number;
  /** Those that it has surely said, thoughts before its first word aside: what a cap bounds everywhere. */
  readonly answered: number;
  /** The model is done with thinking in silence: something of what it says is there. */
  readonly hasSpoken: boolean;
  /** Something came to its end since the last look, or need not: the caller reads slowly, it is not the upstream's turn. */
  advanced(): boolean;
  /** The caller left. */
  gone(): void;
  /** We end the answer. */
  interrupt(fault: RelayFault): void;
}

/** What an answer came to, with the upstream's own figures when it gave some. */
export interface Report {
  readonly usage: TokenUsage | undefined;
  readonly text: string;
  /** What the prompt took, of an answer whose usage never came. */
  readonly promptUsage?: TokenUsage;
  /** Finished pictures; absent = nobody knows, or the answer is something else. */
  readonly pictures?: number | undefined;
  /** How the upstream says that it was made; absent = it does not tell. */
  readonly served?: chat.Served | undefined;
  /** Bytes of delivered text that `text` lacks, and those that it holds, both as they came over the wire. */
  readonly unkeptBytes: number;
  readonly keptBytes?: number;
  /** What the caller's dialect could not say of the answer. */
  readonly losses?: readonly string[];
}

export interface AnswerOutcome extends Pick<CallOutcome, 'firstByteMs' | 'cut'> {
  /** The upstream ended the answer early, not the caller and not we. */
  readonly brokenOff: boolean;
}

/** What a responder needs of the call it answers. */
export interface AnswerContext {
  readonly caller: Caller;
  /** Pieces of a stream that come within this are written together; 0 = each by itself. */
  readonly coalesceMs: number;
  /** How long to wait for an upstream's usage when the caller left; 0 = not at all. */
  readonly drainMs: number;
  /** A place among the calls that do so; undefined = there are too many. */
  startDraining(): (() => void) | undefined;
  /** The answer took room: that is free once its call is over, and the caller must have taken it, or its events, by then. */
  readonly tookRoom: boolean;
  /** So many bytes of an answer more, out of the memory for bodies. False: there are none left. */
  takeRoom(bytes: number): boolean;
  elapsedMs(): number;
  /** Durable mark before the first byte. False: the hold is gone. */
  dispatch(): Promise<boolean>;
  /** Charges what the report says and closes the hold; resolves with what was charged for when that is durable. */
  settle(report: Report, outcome: AnswerOutcome): Promise<Usage>;
  /** An upstream refusal, read from its body, as the caller may see it. */
  upstreamFault(status: number, body: Buffer, retryAfter?: string): RelayFault;
  /** The same for an error that came with status 200. */
  okFault(error: WireError): RelayFault;
  /** Asks the same upstream for the result of what it does in the background. `sinkFor` is told the status; `sink` of a failure before it. */
  askAgain(url: URL, sink: BodySink, sinkFor: (status: number) => BodySink): UpstreamCall;
  /** Tells the caller what its dialect could not say, where its head was not sent yet. */
  declareLosses(losses: readonly string[]): void;
  /** A whole answer to a caller who asked for a stream, or whose stream has begun; undefined = neither. */
  streamed(body: Buffer, charged: Usage): Buffer | undefined;
  resolveAttempt(result: AttemptResult): void;
}

/** A blank line in front of an answer, a comment between two events: what upstreams say that they are still at it. */
export function endsLine(chunk: Buffer): boolean {
  const last = chunk[chunk.length - 1];
  return last === 10 || last === 13;
}
