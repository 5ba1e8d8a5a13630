import { isOversized } from '../chat/oversized.ts';
import type { WireError } from '../error.ts';
import { createFrameTemplate, type FrameTemplate } from '../frame-template.ts';
import { asObject, asObjects, asText, type JsonObject, parseObject } from '../json.ts';
import { decodeFrame } from '../sse.ts';
import type { TapFault } from '../tap.ts';
import { createTextKeep, type TextKeep } from '../text-keep.ts';
import type { ToolUses } from '../tool-uses.ts';
import { mergeUsage, type TokenUsage } from '../usage.ts';
import { errorIn, errorInOk, isErrorAnswer } from './error.ts';
import { isLength } from './finish.ts';
import { messageText } from './response.ts';
import { answerFields, textFields } from './types.ts';
import { usageOf, usesOf } from './usage.ts';

/** What one frame means for the bytes that go to the client. */
export type Verdict =
  | 'forward'
  /** An ordinary or first data frame: content has begun. */
  | 'content'
  | 'drop'
  /** Forward it and nothing after it. */
  | 'last'
  /** Neither this frame nor anything after it. */
  | 'stop';

/** What a stream has said so far. */
export interface StreamState {
  readonly swallowUsage: boolean;
  readonly maxEvents: number;
  readonly template: FrameTemplate;
  readonly keep: TextKeep;
  readonly finishedChoices: Set<number>;
  begun: boolean;
  events: number;
  /** Frames without data: as many may come as events. */
  quiet: number;
  malformed: number;
  sawDone: boolean;
  usage: TokenUsage | undefined;
  /** The last one that was told. */
  serviceTier: string;
  uses: ToolUses | undefined;
  cutByLength: boolean;
  error: WireError | undefined;
  /** What was said before any answer and is no part of one: an error when none follows. */
  doubt: WireError | undefined;
  fault: TapFault | undefined;
  /** Of the first chunk: what a synthetic chunk must repeat. */
  head: { readonly id: string; readonly object: string; readonly model: string; readonly created: number } | undefined;
  /** Bytes of text before the first word of the answer; undefined while there is none. */
  thoughtBytes: number | undefined;
}

/** Illegal events are skipped up to here; one more and the stream counts as cut. */
const maxMalformed = 3;

/** The state of a stream of which nothing has arrived. */
export function newStreamState(options: { swallowUsage: boolean; maxEvents: number; keepBytes: number }): StreamState {
  return {
    swallowUsage: options.swallowUsage,
    maxEvents: options.maxEvents,
    template: createFrameTemplate(),
    keep: createTextKeep(options.keepBytes),
    finishedChoices: new Set(),
    cutByLength: false,
    begun: false,
    events: 0,
    quiet: 0,
    malformed: 0,
    sawDone: false,
    usage: undefined,
    serviceTier: '',
    uses: undefined,
    error: undefined,
    doubt: undefined,
    fault: undefined,
    head: undefined,
    thoughtBytes: undefined,
  };
}

/** Takes in one frame and judges it. Ordinary frames are recognised by their bytes, all others are parsed. */
export function inspectFrame(state: StreamState, buffer: Buffer, start: number, end: number): Verdict {
  const { template, keep } = state;
  if (!template.matches(buffer, start, end)) return inspectParsed(state, buffer.subarray(start, end));
  keep.keep(buffer, template.textStart, template.textEnd);
  return countEvent(state);
}

function countEvent(state: StreamState): Verdict {
  state.events += 1;
  if (state.events <= state.maxEvents) return 'content';
  state.fault = 'too-many-events';
  return 'stop';
}

function inspectParsed(state: StreamState, frame: Buffer): Verdict {
  const { data, event } = decodeFrame(frame);
  if (data === undefined) {
    state.quiet += 1;
    if (state.quiet <= state.maxEvents) return 'forward';
    state.fault = 'too-many-events';
    return 'stop';
  }
  if (data.trim() === '[DONE]') {
    // The end of nothing is no answer either.
    if (!state.begun && (state.doubt !== undefined || state.head === undefined)) return 'stop';
    state.sawDone = true;
    return 'last';
  }
  const chunk = parseObject(data);
  if (chunk === undefined) return skipMalformed(state);
  if (isOversized(chunk, frame.length)) {
    state.fault = 'too-many-events';
    return 'stop';
  }
  if (isErrorAnswer(chunk) || event === 'error') {
    state.error = errorInOk(chunk);
    return state.begun ? 'last' : 'stop';
  }
  return absorbChunk(state, chunk, frame);
}

function skipMalformed(state: StreamState): Verdict {
  state.malformed += 1;
  if (state.malformed <= maxMalformed) return 'drop';
  state.fault = 'malformed';
  return 'stop';
}

function absorbChunk(state: StreamState, chunk: JsonObject, frame: Buffer): Verdict {
  state.head ??= {
    id: asText(chunk.id),
    object: asText(chunk.object) || 'chat.completion.chunk',
    model: asText(chunk.model),
    created: typeof chunk.created === 'number' ? chunk.created : 0,
  };
  const choices = asObjects(chunk.choices);
  const usage = usageOf(chunk);
  if (usage !== undefined) state.usage = mergeUsage(state.usage, usage);
  state.serviceTier = asText(chunk.service_tier) || state.serviceTier;
  state.uses = usesOf(chunk, state.uses);
  const ended = choices.filter((choice) => asText(choice.finish_reason) !== '');
  for (const choice of ended) {
    state.finishedChoices.add(typeof choice.index === 'number' ? choice.index : 0);
    state.cutByLength ||= isLength(choice.finish_reason);
  }
  for (const choice of choices) absorbDelta(state, deltaOf(choice));
  if (choices.length === 0 && state.swallowUsage && asObject(chunk.usage) !== undefined) return 'drop';
  const [choice] = choices;
  // Only a frame that says nothing but its text may stand for later ones.
  if (choice !== undefined && choices.length === 1 && ended.length === 0 && usage === undefined)
    learn(state, chunk, choice, frame);
  const verdict = countEvent(state);
  return verdict === 'content' && !state.begun && isDoubtful(state, chunk) ? 'forward' : verdict;
}

/** A refusal in a shape of the vendor's own (`success: false`, a code with a message): not to be told as the beginning of an answer. */
function isDoubtful(state: StreamState, chunk: JsonObject): boolean {
  if (Array.isArray(chunk.choices) || state.usage !== undefined) return false;
  state.doubt ??= errorIn(chunk, 200);
  return state.doubt !== undefined;
}

/** A completion has its text in the choice itself. */
function deltaOf(choice: JsonObject): JsonObject {
  return asObject(choice.delta) ?? choice;
}

function absorbDelta(state: StreamState, delta: JsonObject): void {
  if (state.thoughtBytes === undefined && isAnswer(delta)) state.thoughtBytes = state.keep.bytes;
  state.keep.keepText(messageText(delta));
}

/** It has more than thoughts. */
function isAnswer(delta: JsonObject): boolean {
  if (answerFields.some((field) => asText(delta[field]) !== '')) return true;
  if (Array.isArray(delta.content) && asObjects(delta.content).some(({ text }) => asText(text) !== '')) return true;
  return asObjects(delta.tool_calls).length > 0 || asObject(delta.function_call) !== undefined;
}

function learn(state: StreamState, chunk: JsonObject, choice: JsonObject, frame: Buffer): void {
  const delta = deltaOf(choice);
  if (asObject(chunk.usage) !== undefined || asObject(choice.usage) !== undefined) return;
  const hole = holeOf(delta);
  if (hole === undefined) return;
  const padding = asText(chunk.obfuscation);
  state.template.learn(frame, hole.key, hole.text, padding === '' ? undefined : { key: 'obfuscation', text: padding });
}

/** The one text of a delta, if all else in it may stay the same. */
function holeOf(delta: JsonObject): { key: string; text: string } | undefined {
  const texts = textFields.filter((field) => asText(delta[field]) !== '');
  const calls = asObjects(delta.tool_calls);
  const [field] = texts;
  if (calls.length === 0 && delta.function_call === undefined && texts.length === 1 && field !== undefined) {
    return { key: field, text: asText(delta[field]) };
  }
  const [call] = calls;
  if (calls.length !== 1 || texts.length > 0 || call === undefined || asText(call.id) !== '') return undefined;
  const inner = asObject(call.function);
  if (inner === undefined || asText(inner.name) !== '' || asText(inner.arguments) === '') return undefined;
  return { key: 'arguments', text: asText(inner.arguments) };
}
