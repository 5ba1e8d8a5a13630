import type { AudioPart, Part, ReasoningPart, ToolCallPart, ToolResultPart } from '../chat/parts.ts';
import { type JsonObject, parseArguments } from '../json.ts';
import { writeOutput } from './decode-parts.ts';
import { restored } from './extra.ts';
import { given } from './fields.ts';
import type { IdSpeller } from './ids.ts';
import { mediaPart, resolutionOf, soundPart } from './media.ts';
import { carrySignature, type Signature } from './signature.ts';
import { dialectName, isThirdGeneration, unsignedCall } from './types.ts';

/** For whom parts are spelled, and what that needs. */
export interface PartSpeller {
  readonly ids: IdSpeller;
  readonly losses: Set<string>;
  /** The upstream's model; undefined = parts of an answer, for a client. */
  readonly model: string | undefined;
  /** The request came in this dialect: it is spelled as it was. */
  readonly isOwn?: boolean;
}

/** The parts of a message or an answer, spelled. What cannot be said goes into `losses`. */
export function writeParts(parts: readonly Part[], speller: PartSpeller): JsonObject[] {
  const out: JsonObject[] = [];
  for (const part of sorted(parts, speller.ids)) {
    if (part.kind === 'reasoning') writeReasoning(part, speller, out);
    else for (const spelled of writePart(part, speller)) out.push(spelled);
  }
  if (speller.model !== undefined && isThirdGeneration(speller.model)) signFirstCall(out);
  return out;
}

/** Responses without an id are matched in the order of their calls, so those of one function stand in that order. */
function sorted(parts: readonly Part[], ids: IdSpeller): readonly Part[] {
  const isUnnamed = (part: Part): part is ToolResultPart =>
    part.kind === 'tool-result' && ids.result(part.id, part.name).id === '';
  const results = parts.filter(isUnnamed);
  if (results.length < 2) return parts;
  const queues = new Map<string, ToolResultPart[]>();
  const nameOf = ({ id, name }: ToolResultPart) => ids.result(id, name).name;
  for (const result of results) {
    const queue = queues.get(nameOf(result));
    if (queue === undefined) queues.set(nameOf(result), [result]);
    else queue.push(result);
  }
  // Backwards, so that the first one is taken from the end.
  for (const queue of queues.values()) queue.reverse().sort((a, b) => ids.order(b.id) - ids.order(a.id));
  return parts.map((part) => (isUnnamed(part) ? (queues.get(nameOf(part))?.pop() ?? part) : part));
}

/** Newer models refuse a first call that is unsigned; one that another model made has no signature. */
function signFirstCall(parts: readonly JsonObject[]): void {
  const call = parts.find((part) => part.functionCall !== undefined);
  if (call !== undefined) call.thoughtSignature ??= unsignedCall;
}

function writePart(part: Exclude<Part, ReasoningPart>, speller: PartSpeller): JsonObject[] {
  const { losses } = speller;
  if ('cache' in part && part.cache !== undefined) losses.add('cache_control');
  switch (part.kind) {
    case 'text':
      if (speller.model !== undefined && part.citations !== undefined) losses.add('citations');
      // An upstream refuses one without text.
      return part.text === '' && speller.model !== undefined && speller.isOwn !== true ? [] : [{ text: part.text }];
    case 'refusal':
      return [{ text: part.text }];
    case 'image':
      if (speller.isOwn === true) return media(mediaPart(part, true), losses, resolutionOf(part.detail));
      if (part.detail !== undefined && part.detail !== 'auto') losses.add('image_detail');
      return media(mediaPart(part), losses);
    case 'file':
      return media(mediaPart(part, speller.isOwn), losses, restored(part.extra, losses));
    case 'audio':
      return audio(part, losses);
    case 'tool-call':
      return [writeCall(part, speller)];
    case 'tool-result':
      return writeResult(part, speller);
    case 'foreign':
      if (part.dialect === dialectName) return [{ ...part.raw }];
      if (part.text !== undefined) return [{ text: part.text }];
      losses.add(`hosted_tool:${part.name}`);
      return [];
  }
}

function media(part: JsonObject | undefined, losses: Set<string>, more: JsonObject = {}): JsonObject[] {
  if (part !== undefined) return [{ ...part, ...more }];
  losses.add('file');
  return [];
}

function audio(part: AudioPart, losses: Set<string>): JsonObject[] {
  if (part.base64 !== '') return [soundPart(part)];
  losses.add('audio');
  const { transcript } = part;
  return transcript === undefined ? [] : [{ text: transcript }];
}

/** A signature without a thought goes onto the part before it, where it came from. */
function writeReasoning(part: ReasoningPart, speller: PartSpeller, out: JsonObject[]): void {
  const { text, signature, redacted } = part;
  const thoughtSignature = (signature ?? redacted) === undefined ? undefined : writeSignature(part, speller);
  // A signature of another dialect is that of a thought, though nothing of it was said.
  const isKept = thoughtSignature !== undefined && part.dialect !== dialectName;
  if (text !== '' || isKept) out.push({ text, thought: true, ...given('thoughtSignature', thoughtSignature) });
  else if (thoughtSignature !== undefined) {
    const last = out.at(-1);
    const isFree = last !== undefined && last.thoughtSignature === undefined && last.thought === undefined;
    if (
      isFree &&
      ((last.text !== undefined && last.text !== '') || last.inlineData !== undefined || last.fileData !== undefined)
    ) {
      last.thoughtSignature = thoughtSignature;
    } else out.push({ text: '', thoughtSignature });
  }
}

/** Upstreams get their own signatures only; clients keep any. */
function writeSignature(proof: Signature, { model, losses }: PartSpeller): string | undefined {
  if (model === undefined) return carrySignature(proof);
  if (proof.dialect === dialectName) return proof.signature;
  losses.add('reasoning_signature');
  return undefined;
}

function writeCall(part: ToolCallPart, speller: PartSpeller): JsonObject {
  const { name, signature } = part;
  restored(part.extra, speller.losses);
  const id = speller.ids.call(part.id, name);
  const sent = signature === undefined ? undefined : writeSignature({ signature, dialect: part.dialect ?? '' }, speller);
  return {
    functionCall: { ...(id === '' ? {} : { id }), name, args: writeArguments(part.arguments) },
    ...given('thoughtSignature', sent),
  };
}

/** Arguments as an object; a text that is none is kept as `_raw`. */
function writeArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  return parseArguments(text) ?? { _raw: text };
}

function writeResult(part: ToolResultPart, speller: PartSpeller): JsonObject[] {
  const { ids, losses, model = '', isOwn } = speller;
  const { id, name } = ids.result(part.id, part.name);
  const own = restored(part.extra, losses);
  const texts: string[] = [];
  const attached: JsonObject[] = [];
  for (const piece of part.content) {
    if (piece.kind !== 'text') attached.push(...writePart(piece, speller));
    else {
      if (piece.cache !== undefined) losses.add('cache_control');
      texts.push(piece.text);
    }
  }
  const within = attached.length > 0 && (isOwn === true || isThirdGeneration(model));
  const functionResponse = {
    ...(id === '' ? {} : { id }),
    name,
    response: writeOutput(texts.join('\n'), name, part.isError === true),
    ...(within ? { parts: attached } : {}),
    ...own,
  };
  return [{ functionResponse }, ...(within ? [] : attached)];
}
