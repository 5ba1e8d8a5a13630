import type { Served } from './chat/response.ts';
import type { WireError } from './error.ts';
import type { Hide } from './hidden.ts';
import type { MoreRoom } from './sse.ts';
import type { TokenUsage } from './usage.ts';

export interface TapOptions {
  /** We asked for the usage frame, the client did not: keep it from the client. */
  readonly swallowUsage: boolean;
  /** Choices that must finish; default 1. */
  readonly choices?: number;
  /** The client wants a usage frame: when none came before the terminator, hold that back for `closing`. */
  readonly holdDone?: boolean;
  /** For events that are larger than `maxFrameBytes`; without it they are too long. */
  readonly moreRoom?: MoreRoom | undefined;
  /** For what an upstream says in the middle of its answer when it fails. */
  readonly hide?: Hide;
  /** Bounds, for tests. */
  readonly maxFrameBytes?: number;
  readonly maxEvents?: number;
  readonly keepBytes?: number;
}

/** `no-room`: an event was larger than what the process could still hold of it. */
export type TapFault = 'frame-too-long' | 'no-room' | 'too-many-events' | 'malformed';

/** What is known of a stream that is over. */
export interface TapEnd {
  /** The upstream's figures; undefined when it gave none. Not yet compared with the caller's cap (`capUsage`). */
  readonly usage: TokenUsage | undefined;
  /** Figures whose prompt holds while their completion does not: for a cut answer, beside its counted text. */
  readonly promptUsage?: TokenUsage | undefined;
  /** Finished pictures; absent = the stream does not tell, or has something else. */
  readonly pictures?: number | undefined;
  /** Absent = the stream does not tell. */
  readonly served?: Served | undefined;
  /** The answer is whole: terminated, or finished with its usage. Otherwise the stream was cut. */
  readonly complete: boolean;
  readonly fault: TapFault | undefined;
  /** The error event that ended it. It was handed out only when content had begun. */
  readonly error: WireError | undefined;
  /** Bytes never handed out because no legal event came: the start of whatever the upstream sent instead. */
  readonly unsent: Buffer;
  /** Size of the output text, and how much of it `text()` has: a prefix, at most 256 KiB. */
  readonly textBytes: number;
  readonly keptTextBytes: number;
  /** What the caller's dialect could not say. */
  readonly losses: readonly string[];
  text(): string;
  /** The last bytes, for after the charge: what was held back, and for a whole answer what its dialect ends with. */
  closing(charged: Pick<TokenUsage, 'prompt' | 'completion'>): Buffer | undefined;
}

/** Reads a stream on its way to the client: what the ledger needs of it, and the bytes the client gets. */
export interface Tap {
  /** Data frames so far. */
  readonly events: number;
  /** Size of the output text so far. */
  readonly textBytes: number;
  /** How much of that came before the first word of the answer: thoughts, which some upstreams count apart from it. */
  readonly thoughtBytes: number;
  /** Content was handed out: from here on no other upstream may be tried. */
  readonly begun: boolean;
  /** Nothing more will be handed out: terminator, error or fault. The upstream may be closed. */
  readonly closed: boolean;
  readonly fault: TapFault | undefined;
  /**
   * Takes upstream bytes, returns the bytes for the client: complete frames only, the chunk itself where possible.
   * The result may alias the chunk: write it before its memory is reused. Never throws.
   */
  push(chunk: Buffer): Buffer | undefined;
  /**
   * Takes `bytes[from, to)` when that is one ordinary event after others: it goes to the client as it is, and nothing else
   * has changed. False: nothing was taken, and it must be pushed. A tap without it takes nothing this way.
   */
  passes?(bytes: Buffer, from: number, to: number): boolean;
  /** Call when the upstream has ended or was cut. `isBroken`: the connection failed, for streams whose bytes do not tell. */
  end(isBroken?: boolean): TapEnd;
}
