import type { chat } from '@tollgate/wire';
import type { Provider, SignTools, UpstreamCallFacts } from '../providers/index.ts';
import type { AnswerPlan } from './answer-plan.ts';
import type { BodyPlace } from './body-budget.ts';
import type { Inquiry } from './inquiry.ts';
import type { MediaLoader } from './media.ts';

/** What building a request needs beside the channel: the same for every attempt of a call. */
export interface Asked {
  readonly inquiry: Inquiry;
  /** What an answer in another dialect must repeat. */
  readonly answerContext: Omit<chat.AnswerContext, 'request'>;
  /** The answer must be limited to what the hold covers; undefined = as the caller says. */
  readonly loweredCap: number | undefined;
  /** The operator's setting of that name. */
  readonly option: (name: string) => unknown;
  readonly tools: SignTools;
  /** Fetches what the caller names by address; absent = nothing is fetched. */
  readonly media?: MediaLoader;
  /** What the call takes of the memory for bodies; its answer may take more. */
  readonly place?: BodyPlace;
  /** A request that cannot be said whole is refused instead. */
  readonly strict?: boolean;
}

/** A request that is ready to be sent, and how its answer is read. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty once it was given away to be sent: an answer may take minutes. */
  body: Buffer;
  /** The name sent upstream when it differs from the caller's. */
  readonly upstreamModel: string | undefined;
  /** We asked for usage on the caller's behalf: that frame must not reach the caller. */
  readonly swallowUsage: boolean;
  readonly answer: AnswerPlan;
  /** What the upstream is spoken to in, when that is not the caller's protocol. */
  readonly protocol?: string;
  /** What the upstream's dialect could not say. */
  readonly losses: readonly string[];
  /** Of the body, when it is no JSON. */
  readonly contentType?: string;
  /** How hard the model thinks because its name says so. */
  readonly effort?: string;
  readonly transport: Provider['transport'];
}

/** Who answers, by what its upstream may not have been asked for: what its dialect could not say, and what the operator overrides. */
export interface Answering {
  readonly outgoing: Pick<Outgoing, 'losses'>;
  readonly target: { readonly channel: { readonly paramOverride: Readonly<Record<string, unknown>> } };
}

/** A request that nobody has signed yet. */
export interface Unsent extends Omit<Outgoing, 'headers'> {
  readonly call: UpstreamCallFacts;
  /** What the canonical shape had lost and this request says after all. */
  readonly says?: readonly string[];
}
