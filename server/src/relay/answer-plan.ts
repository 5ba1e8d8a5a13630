import { chat, type JsonObject, parseObject, type Tap, type TapOptions, type TokenUsage, type WireError } from '@tollgate/wire';
import type { FamilyShape, Framing, UpstreamCallFacts } from '../providers/index.ts';

/** What a complete body with a 2xx status turned out to be, with the bytes that the caller gets. */
export type AnswerReading =
  | {
      readonly kind: 'answer';
      readonly usage: TokenUsage | undefined;
      /** Of pictures: how many it holds, as far as it tells. */
      readonly pictures?: number;
      readonly served?: chat.Served;
      /** Undefined = as it came. */
      readonly body: Buffer | undefined;
      /** The same with what is charged, where the upstream told no usage. */
      readonly withUsage?: ((charged: TokenUsage) => Buffer) | undefined;
      /** What the caller's dialect could not say. */
      readonly losses?: readonly string[];
      text(): string;
    }
  | { readonly kind: 'error'; readonly error: WireError }
  /** The upstream works on it: ask again there. */
  | { readonly kind: 'pending'; readonly url: URL; readonly afterMs: number }
  | { readonly kind: 'invalid'; readonly reason: 'empty' | 'not-json' };

/** How an upstream's answer is read, and how the caller gets it. */
export interface AnswerPlan {
  readonly framing: Framing;
  /** The caller gets the upstream's own bytes. */
  readonly passes?: true;
  readError(status: number, body: Buffer): WireError;
  read(body: Buffer): AnswerReading;
  /** Reads a collected stream as a whole answer, for a caller who wants one; absent = the caller's dialect does. */
  readStreamed?(body: Buffer): AnswerReading;
  createTap(options: TapOptions): Tap;
}

/** Upstream and caller speak the same: bytes pass through. */
export function passingPlan(surface: chat.Surface, framing: Framing): AnswerPlan {
  return {
    framing,
    passes: true,
    readError: surface.readError,
    createTap: surface.createTap,
    read(body) {
      const reading = surface.readResponse(body);
      return reading.kind === 'answer' ? { ...reading, body: undefined, text: () => reading.text() } : reading;
    },
  };
}

/** A change of an answer on its way between two dialects. */
export interface AnswerTransform {
  readonly response: (response: chat.ChatResponse) => chat.ChatResponse;
  /** One for each stream. */
  readonly events: () => (event: chat.ChatEvent) => readonly chat.ChatEvent[];
}

interface Crossing {
  readonly from: chat.UpstreamDialect;
  readonly to: chat.ClientDialect;
  readonly context: chat.AnswerContext;
  readonly framing: Framing;
  readonly transform: AnswerTransform | undefined;
}

/** The upstream's dialect is not the caller's, or its answer must be changed. */
export function crossingPlan({ from, to, context, framing, transform }: Crossing): AnswerPlan {
  const spelled = (reading: chat.CrossedReading): AnswerReading => {
    if (reading.kind !== 'answer') return reading;
    const response = transform === undefined ? reading.response : transform.response(reading.response);
    return {
      kind: 'answer',
      ...spelledAnswer(response, (told) => to.encodeResponse(told, context)),
      text: () => chat.responseText(reading.response),
    };
  };
  return {
    framing,
    readError: from.readError,
    createTap: (options) =>
      chat.createCrossingTap(transformed(from.createDecoder(), transform?.events()), to.createEncoder(context), options),
    read: (body) => spelled(chat.decodeAnswer(from, body)),
    readStreamed: (body) => spelled(chat.decodeStreamed(from, body)),
  };
}

/** A whole answer as its caller gets it: callers rely on figures, also where the upstream gave none. */
export function spelledAnswer(response: chat.ChatResponse, spell: (response: chat.ChatResponse) => chat.Encoded) {
  const { usage } = response;
  const bytes = ({ body }: chat.Encoded) => bytesOf(body);
  const encoded = spell(response);
  const served = chat.servedOf(response);
  const withUsage = usage === undefined ? (charged: TokenUsage) => bytes(spell({ ...response, usage: charged })) : undefined;
  const told = served === undefined ? {} : { served };
  return { usage, ...told, body: bytes(encoded), withUsage, losses: encoded.losses };
}

function bytesOf(answer: object): Buffer {
  return Buffer.from(JSON.stringify(answer));
}

type EventChange = (event: chat.ChatEvent) => readonly chat.ChatEvent[];

function transformed(decoder: chat.StreamDecoder, change: EventChange | undefined): chat.StreamDecoder {
  if (change === undefined) return decoder;
  return {
    push: (frame) => decoder.push(frame).flatMap(change),
    end: () => decoder.end().flatMap(change),
  };
}

/** An answer in the canonical shape of a family, spelled as its caller wants it. */
export function spelledPlan(plan: AnswerPlan, spell: (answer: JsonObject) => JsonObject): AnswerPlan {
  return {
    ...plan,
    read(body) {
      const reading = plan.read(body);
      if (reading.kind !== 'answer') return reading;
      const spelled = (canonical: Buffer) => bytesOf(spell(parseObject(canonical.toString('utf8')) ?? {}));
      const { withUsage } = reading;
      return {
        ...reading,
        body: spelled(reading.body ?? body),
        withUsage: withUsage && ((charged) => spelled(withUsage(charged))),
      };
    },
  };
}

interface Shaped {
  readonly surface: chat.Surface;
  readonly shape: FamilyShape;
  readonly call: UpstreamCallFacts;
  /** The request in the canonical shape. */
  readonly asked: JsonObject;
  /** Unix seconds, for vendors that do not tell when pictures were made. */
  readonly created: number;
  /** The channel's address, where results of background work are asked for. */
  readonly base: string;
}

/** A family whose upstream has a shape of its own: its answer is brought into the canonical one. */
export function shapedPlan({ surface, shape, call, asked, created, base }: Shaped): AnswerPlan {
  return {
    framing: 'sse',
    readError: surface.readError,
    createTap: surface.createTap,
    read(body) {
      try {
        return readShaped(body);
      } catch {
        // JSON of another kind than any vendor's: texts that are none, lists thousands deep.
        return { kind: 'invalid', reason: 'not-json' };
      }
    },
  };

  function readShaped(body: Buffer): AnswerReading {
    const answer = parseObject(body.toString('utf8'));
    if (answer === undefined) return { kind: 'invalid', reason: body.length === 0 ? 'empty' : 'not-json' };
    const next = shape.poll?.(answer, base);
    const url = next && URL.parse(next.url);
    if (next !== undefined && url) return { kind: 'pending', url, afterMs: next.afterMs };
    const decoded = shape.decode(answer, call, asked);
    const canonical = bytesOf(decoded.created === 0 ? { ...decoded, created } : decoded);
    const reading = surface.readResponse(canonical);
    if (reading.kind !== 'answer') return reading;
    const isUntold = surface.name === 'embeddings' && reading.usage === undefined;
    const counted = ({ prompt }: TokenUsage) => bytesOf({ ...decoded, usage: { prompt_tokens: prompt, total_tokens: prompt } });
    return { ...reading, body: canonical, withUsage: isUntold ? counted : undefined, text: () => reading.text() };
  }
}
