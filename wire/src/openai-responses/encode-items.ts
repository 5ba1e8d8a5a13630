import { withCallIds } from '../chat/call-ids.ts';
import type { Part, ReasoningPart, RefusalPart, TextPart, ToolResultPart } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import type { JsonObject } from '../json.ts';
import { encodeInput, encodeOutputText, type Target } from './content.ts';
import { ownFields } from './extra.ts';
import { dialectName } from './types.ts';

/** A conversation as this dialect spells it. */
export interface Spelled {
  readonly instructions?: string;
  readonly input: readonly JsonObject[];
}

/** Spells instructions and messages; what cannot be said goes to the target's losses. */
export function encodeConversation({ system, messages, output }: ChatRequest, target: Target): Spelled {
  const items: JsonObject[] = [];
  // Instructions have no place for a cache mark, and the word that an answer in JSON must be asked with is not seen in them.
  const isMarked = target.takesMarks && system.some(({ cache }) => cache !== undefined);
  const isInput = isMarked || (!target.isOwn && output?.kind === 'json');
  const [first] = isInput ? [] : system;
  if (first?.cache !== undefined) target.losses.lose('cache_control');
  addMessage(items, 'developer', isInput ? system : system.slice(1), target);
  for (const message of withCallIds(messages)) encodeMessage(items, message, target);
  if (items.length === 0) {
    // Instructions are no input, which a request must have.
    addMessage(items, first === undefined ? 'user' : 'developer', [{ kind: 'text', text: first?.text ?? '' }], target);
    return { input: items };
  }
  return { ...(first === undefined ? {} : { instructions: first.text }), input: items };
}

function encodeMessage(items: JsonObject[], { role, parts, name }: Message, target: Target): void {
  if (name !== undefined) target.losses.lose('name');
  if (role === 'assistant') encodeTurn(items, parts, target);
  else encodeSaid(items, role === 'system' ? 'developer' : 'user', parts, target);
}

function addMessage(items: JsonObject[], role: 'developer' | 'user', parts: readonly Part[], target: Target): void {
  const content = parts.map((part) => encodeInput(part, target)).filter((item) => item !== undefined);
  const [only] = content;
  if (only === undefined) return;
  const isPlain = content.length === 1 && only.type === 'input_text' && Object.keys(only).length === 2;
  items.push({ type: 'message', role, content: isPlain ? only.text : content });
}

/** Content types of this dialect; everything else that is foreign is an item of its own. */
const contentType = /^(input|output)_|^(computer_screenshot|content)$/;

/** What the caller says: results of calls become items, the rest between them messages. */
function encodeSaid(items: JsonObject[], role: 'developer' | 'user', parts: readonly Part[], target: Target): void {
  let said: Part[] = [];
  const flush = () => {
    addMessage(items, role, said, target);
    said = [];
  };
  for (const part of parts) {
    const isItem = part.kind === 'foreign' && part.dialect === dialectName && !contentType.test(part.name);
    if (part.kind !== 'tool-result' && !isItem) {
      said.push(part);
      continue;
    }
    flush();
    items.push(part.kind === 'tool-result' ? encodeResult(part, target) : part.raw);
  }
  flush();
}

function encodeResult({ id, content, isError, cache, extra }: ToolResultPart, target: Target): JsonObject {
  const more = ownFields(extra, target.losses);
  if (isError === true) target.losses.lose('is_error');
  if (cache !== undefined) target.losses.lose('cache_control');
  const list = content.map((part) => encodeInput(part, target)).filter((item) => item !== undefined);
  const [only] = list;
  const isPlain = list.length === 1 && only?.type === 'input_text' && only.text !== '' && Object.keys(only).length === 2;
  return {
    type: 'function_call_output',
    call_id: fittingId(id),
    output: list.length === 0 ? '' : isPlain ? only.text : list,
    ...more,
  };
}

type Spoken = TextPart | RefusalPart;

/** What the model said and did in one turn. */
function encodeTurn(items: JsonObject[], parts: readonly Part[], target: Target): void {
  let spoken: Spoken[] = [];
  const flush = () => {
    if (spoken.length > 0) items.push(encodeSpoken(spoken, target));
    spoken = [];
  };
  for (const part of parts) {
    if (part.kind === 'text' || part.kind === 'refusal') {
      if (phaseOf(part) !== phaseOf(spoken[0] ?? part)) flush();
      spoken.push(part);
      continue;
    }
    flush();
    const item = encodeDeed(part, target);
    if (item !== undefined) items.push(item);
  }
  flush();
}

function phaseOf(part: Spoken): string | undefined {
  return part.kind === 'text' ? part.phase : undefined;
}

function encodeSpoken(parts: readonly Spoken[], { losses }: Target): JsonObject {
  const content = parts.map((part): JsonObject => {
    if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
    if (part.cache !== undefined) losses.lose('cache_control');
    return encodeOutputText(part, losses);
  });
  const [only] = parts;
  const isPlain = parts.length === 1 && only?.kind === 'text' && only.citations === undefined;
  const phase = only === undefined ? undefined : phaseOf(only);
  return {
    type: 'message',
    role: 'assistant',
    content: isPlain ? only.text : content,
    ...(phase === undefined ? {} : { phase }),
  };
}

function encodeDeed(part: Part, target: Target): JsonObject | undefined {
  const { losses } = target;
  switch (part.kind) {
    case 'tool-call':
      if (part.signature !== undefined) losses.lose('reasoning_signature');
      if (part.cache !== undefined) losses.lose('cache_control');
      return {
        type: 'function_call',
        call_id: fittingId(part.id),
        name: part.name,
        arguments: part.arguments,
        ...ownFields(part.extra, losses),
      };
    case 'reasoning':
      return encodeReasoning(part, target);
    case 'audio':
      losses.lose('audio');
      return part.transcript === undefined ? undefined : { type: 'message', role: 'assistant', content: part.transcript };
    case 'foreign':
      if (part.dialect === dialectName) return part.raw;
      if (part.text !== undefined) return { type: 'message', role: 'assistant', content: part.text };
      losses.lose(`hosted_tool:${part.name}`);
      return undefined;
    default:
      losses.lose(part.kind.replace('-', '_'));
      return undefined;
  }
}

/**
 * Only what this dialect's own models thought goes back: another's has neither an id nor a form they could check. Where
 * nothing is stored, a thought is found by its encrypted form alone.
 */
function encodeReasoning(part: ReasoningPart, { losses, isOwn }: Target): JsonObject | undefined {
  if (part.dialect !== dialectName || (!isOwn && part.signature === undefined)) {
    losses.lose('reasoning');
    return undefined;
  }
  return {
    type: 'reasoning',
    ...(part.id === undefined ? {} : { id: part.id }),
    summary: spellSummary(part.text),
    ...(part.signature === undefined ? {} : { encrypted_content: part.signature }),
  };
}

const maxIdChars = 64;

/** Longer ids are refused, and some dialects make long ones: those end in a hash of the whole. */
function fittingId(id: string): string {
  if (id.length <= maxIdChars) return id;
  return `${id.slice(0, maxIdChars - 17)}_${hashOf(id, 0x811c9dc5)}${hashOf(id, 0x9747b28c)}`;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The sections of a thought; none for a thought without text. */
export function spellSummary(text: string): JsonObject[] {
  return text === '' ? [] : [{ type: 'summary_text', text }];
}
