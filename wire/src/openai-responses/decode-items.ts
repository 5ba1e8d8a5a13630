import { isCustomCall } from '../chat/custom-tools.ts';
import {
  noArguments,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../chat/parts.ts';
import type { Message } from '../chat/request.ts';
import type { PartHead } from '../chat/response.ts';
import { unseal } from '../chat/seal.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { decodeContent } from './content.ts';
import { summaryIn } from './summary.ts';
import { compactionItem, dialectName, isPlainCall, itemRole, pictureIdPrefix } from './types.ts';

/** A conversation without a dialect. */
export interface Conversation {
  readonly system: TextPart[];
  readonly messages: Message[];
}

interface OpenMessage {
  readonly role: Message['role'];
  readonly parts: Part[];
  /** Takes up neighbours: what the model did in one turn, or results of calls. */
  readonly isGroup: boolean;
}

/**
 * The `input` of a request. What the model said and did in neighbouring items is one message, results of calls in
 * neighbouring items are another; every message of the caller stays one of its own.
 */
export function decodeInput(input: unknown): Conversation {
  const system: TextPart[] = [];
  const messages: OpenMessage[] = [];
  if (typeof input === 'string') messages.push({ role: 'user', parts: decodeContent(input), isGroup: false });
  const own = ownCalls(asObjects(input));
  for (const item of asObjects(input)) addItem(system, messages, item, own);
  return { system, messages: messages.map(({ role, parts }) => ({ role, parts })) };
}

/** Calls that only this dialect can tell of: elsewhere their results would answer calls that nobody made. */
function ownCalls(items: readonly JsonObject[]): ReadonlySet<unknown> {
  return new Set(items.flatMap((item) => (item.type === 'function_call' && !isPlainCall(item) ? [item.call_id] : [])));
}

function addItem(system: TextPart[], messages: OpenMessage[], item: JsonObject, own: ReadonlySet<unknown>): void {
  const summary = summaryIn(item);
  if (summary !== undefined) messages.push({ role: 'user', parts: [{ kind: 'text', text: summary }], isGroup: false });
  else if (isMessage(item)) addMessage(system, messages, item);
  else if (item.type === 'function_call_output')
    group(messages, 'user').push(own.has(item.call_id) ? decodeItem(item) : decodeResult(item));
  else if (item.type === 'reasoning') addReasoning(group(messages, 'assistant'), item);
  else group(messages, itemRole(asText(item.type))).push(decodeItem(item));
}

function isMessage(item: JsonObject): boolean {
  return item.type === 'message' || (item.type === undefined && typeof item.role === 'string');
}

function addMessage(system: TextPart[], messages: OpenMessage[], item: JsonObject): void {
  const parts = decodeMessage(item);
  if (item.role === 'assistant') {
    const said = group(messages, 'assistant');
    for (const part of parts) said.push(part);
    return;
  }
  const isSystem = item.role === 'system' || item.role === 'developer';
  const texts = parts.filter((part) => part.kind === 'text');
  if (isSystem && messages.length === 0 && texts.length === parts.length) for (const text of texts) system.push(text);
  else messages.push({ role: isSystem ? 'system' : 'user', parts, isGroup: false });
}

function group(messages: OpenMessage[], role: Message['role']): Part[] {
  const last = messages.at(-1);
  if (last?.isGroup === true && last.role === role) return last.parts;
  const fresh: OpenMessage = { role, parts: [], isGroup: true };
  messages.push(fresh);
  return fresh.parts;
}

function addReasoning(parts: Part[], item: JsonObject): void {
  const sealed = unseal(asText(item.encrypted_content));
  const last = parts.at(-1);
  if (sealed?.of === 'call') {
    const proof = { signature: sealed.value, dialect: sealed.dialect };
    if (last?.kind === 'tool-call') parts[parts.length - 1] = { ...last, ...proof };
    else if (last !== undefined && isCustomCall(last)) parts[parts.length - 1] = { ...last, proof };
  } else if (sealed === undefined) parts.push(decodeReasoning(item));
  else {
    const proof = sealed.value === '' ? {} : { [sealed.of]: sealed.value };
    parts.push({ kind: 'reasoning', text: reasoningText(item), ...proof, dialect: sealed.dialect });
  }
}

/** The parts of one message item. */
export function decodeMessage(item: JsonObject): Part[] {
  const phase = asText(item.phase);
  const parts = decodeContent(item.content);
  if (phase === '' || item.role !== 'assistant') return parts;
  return parts.map((part) => (part.kind === 'text' ? { ...part, phase } : part));
}

/** Names an item that the upstream keeps; the type may be left out. */
const itemReference = 'item_reference';
const thoughtId = /^rs_/;

/**
 * The kind of item by which a conversation leaves pieces, thoughts aside, to the upstream of this dialect that keeps or
 * reads them; undefined = it does not.
 */
export function keptItem(messages: readonly Message[]): string | undefined {
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.kind !== 'foreign' || part.dialect !== dialectName) continue;
      const isKept = part.name === compactionItem || (part.name === itemReference && !thoughtId.test(asText(part.raw.id)));
      if (isKept) return part.name;
    }
  }
  return undefined;
}

/** An item that is no message, as the model made it: a call, or something only this dialect knows. */
export function decodeItem(item: JsonObject): Part {
  const type = asText(item.type);
  if (isPlainCall(item)) return decodeCall(item);
  if (type === 'image_generation_call' && asText(item.id).startsWith(pictureIdPrefix)) {
    const mediaType = `image/${asText(item.output_format) || 'png'}`;
    return { kind: 'image', source: { at: 'inline', mediaType, base64: asText(item.result) } };
  }
  return { kind: 'foreign', dialect: dialectName, name: type || (asText(item.id) === '' ? 'item' : itemReference), raw: item };
}

/** The kind as far as the end of an answer depends on it: a call of a tool that takes a text is a call. */
export function kindOf(part: Part): Part['kind'] {
  return isCustomCall(part) ? 'tool-call' : part.kind;
}

function decodeCall(item: JsonObject): ToolCallPart {
  return { ...callHead(item), arguments: asText(item.arguments) || noArguments };
}

/** What a call is before its arguments come. */
export function callHead(item: JsonObject): Extract<PartHead, { kind: 'tool-call' }> {
  const namespace = asText(item.namespace);
  const fields = { ...(item.async === true ? { async: true } : {}), ...(namespace === '' ? {} : { namespace }) };
  return {
    kind: 'tool-call',
    id: asText(item.call_id) || asText(item.id),
    name: asText(item.name),
    ...(Object.keys(fields).length === 0 ? {} : { extra: { dialect: dialectName, fields } }),
  };
}

/** The result of a call; what it holds beside texts, pictures and files is known to this dialect alone. */
export function decodeResult(item: JsonObject): ToolResultPart {
  const { output } = item;
  const parts = output === '' ? [] : decodeContent(output);
  const content = parts.filter((part) => part.kind === 'text' || part.kind === 'image' || part.kind === 'file');
  const isWhole = typeof output === 'string' || (Array.isArray(output) && output.length === content.length);
  const extra = isWhole ? {} : { extra: { dialect: dialectName, fields: { output } } };
  return { kind: 'tool-result', id: asText(item.call_id), name: '', content, ...extra };
}

/** What the model thought; its encrypted form is the signature. */
export function decodeReasoning(item: JsonObject): ReasoningPart {
  const [id, signature] = [asText(item.id), asText(item.encrypted_content)];
  return {
    kind: 'reasoning',
    text: reasoningText(item),
    ...(signature === '' ? {} : { signature }),
    ...(id === '' ? {} : { id }),
    dialect: dialectName,
  };
}

/** Between the sections of one thought. */
export const sectionBreak = '\n\n';

function reasoningText(item: JsonObject): string {
  const sections = [...asObjects(item.content), ...asObjects(item.summary)];
  return sections.map(({ text }) => asText(text)).join(sectionBreak);
}
