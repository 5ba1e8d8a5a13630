import { customCallId, customResult } from '../chat/custom-tools.ts';
import type { FilePart, ForeignPart, ImagePart, Part, TextPart, ToolCallPart, ToolResultPart } from '../chat/parts.ts';
import type { Message } from '../chat/request.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { decodeContent, dialectName, isText, readCache } from './content.ts';
import { decodeAssistant } from './decode-message.ts';
import { ownExtra } from './extra.ts';

export type DecodedMessages =
  | { readonly ok: true; readonly system: readonly TextPart[]; readonly messages: readonly Message[] }
  | { readonly ok: false; readonly reason: string };

/** Members of a message that the neutral form has words for; others are kept as parts that only this dialect knows. */
const known: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'refusal',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'audio',
  'images',
  'annotations',
  'cache_control',
]);

interface Draft {
  readonly system: TextPart[];
  readonly messages: Message[];
  /** The latest call of each id and of each function, for results that tell only one of them. */
  readonly callsById: Map<string, ToolCallPart>;
  readonly callsByName: Map<string, ToolCallPart>;
  /** Of calls of tools that take a text. */
  readonly customIds: Set<string>;
  /** The latest run of results. */
  results: Part[];
}

/** Reads the `messages` of a request. Never throws. */
export function decodeMessages(raw: readonly unknown[]): DecodedMessages {
  const draft: Draft = {
    system: [],
    messages: [],
    callsById: new Map(),
    callsByName: new Map(),
    customIds: new Set(),
    results: [],
  };
  for (const [index, item] of raw.entries()) {
    const message = asObject(item);
    if (message === undefined || !take(draft, message, index)) return { ok: false, reason: `messages[${index}] is invalid` };
  }
  return { ok: true, system: joinPlain(draft.system), messages: draft.messages };
}

function take(draft: Draft, message: JsonObject, index: number): boolean {
  const name = asText(message.name) === '' ? {} : { name: asText(message.name) };
  const rest = unknownMembers(message);
  switch (message.role) {
    case 'system':
    case 'developer':
      takeSystem(draft, [...marked(decodeContent(message.content), message), ...rest], name);
      return true;
    case 'user':
      draft.messages.push({ role: 'user', parts: [...marked(decodeContent(message.content), message), ...rest], ...name });
      return true;
    case 'assistant': {
      const parts = marked(
        decodeAssistant(message, (call) => `call_${index}_${call}`),
        message,
      );
      for (const part of parts) noteCall(draft, part);
      draft.messages.push({ role: 'assistant', parts: [...parts, ...rest], ...name });
      return true;
    }
    case 'tool':
    case 'function':
      takeResult(draft, message);
      return true;
    default:
      return false;
  }
}

function noteCall({ callsById, callsByName, customIds }: Draft, call: Part): void {
  const customId = customCallId(call);
  if (customId !== '') customIds.add(customId);
  if (call.kind !== 'tool-call') return;
  callsById.set(call.id, call);
  callsByName.set(call.name, call);
}

/** What repeats a member of one of the calls is known with that call: some clients set what came with a call on both. */
function unknownMembers(message: JsonObject): ForeignPart[] {
  const unknown = Object.entries(message).filter(([key, value]) => !known.has(key) && value !== null);
  if (unknown.length === 0) return [];
  const ofCalls = new Set(asObjects(message.tool_calls).flatMap((call) => Object.entries(call).map(spelledMember)));
  return unknown
    .filter((member) => ofCalls.size === 0 || !ofCalls.has(spelledMember(member)))
    .map(([key, value]) => ({ kind: 'foreign', dialect: dialectName, name: key, raw: { [key]: value } }));
}

function spelledMember(member: readonly [key: string, value: unknown]): string {
  return JSON.stringify(member);
}

/** A mark on the message counts for its last piece of content. */
function marked(parts: Part[], message: JsonObject): Part[] {
  const cache = readCache(message);
  const at = parts.findLastIndex(({ kind }) => kind === 'text' || kind === 'image' || kind === 'file');
  const part = parts[at];
  if (cache === undefined || part === undefined) return parts;
  return parts.with(at, { ...part, cache } as Part);
}

/** Instructions go in front as long as nothing was said and they are nothing but text. */
function takeSystem(draft: Draft, parts: Part[], name: { readonly name?: string }): void {
  const isFirst = draft.messages.length === 0 && name.name === undefined && parts.every(isText);
  if (isFirst) for (const part of parts.filter(isText)) draft.system.push(part);
  else draft.messages.push({ role: 'system', parts, ...name });
}

/** Only marks need instructions to be apart; upstreams want one text. */
function joinPlain(system: readonly TextPart[]): readonly TextPart[] {
  if (system.length < 2 || system.some(({ cache }) => cache !== undefined)) return system;
  return [{ kind: 'text', text: system.map(({ text }) => text).join('\n') }];
}

/** Results stand side by side in one message of the user. */
function takeResult(draft: Draft, message: JsonObject): void {
  const result = draft.customIds.has(asText(message.tool_call_id)) ? customResult(message) : decodeResult(draft, message);
  if (draft.messages.at(-1)?.parts === draft.results) {
    draft.results.push(result);
    return;
  }
  draft.results = [result];
  draft.messages.push({ role: 'user', parts: draft.results });
}

function decodeResult(draft: Draft, message: JsonObject): ToolResultPart {
  const givenId = asText(message.tool_call_id);
  const givenName = asText(message.name);
  const call = givenId === '' ? draft.callsByName.get(givenName) : draft.callsById.get(givenId);
  const cache = readCache(message);
  const parts = decodeContent(message.content);
  const content = parts.filter(isResultContent);
  return {
    kind: 'tool-result',
    id: givenId || (call?.id ?? ''),
    name: call?.name ?? givenName,
    content,
    ...(cache === undefined ? {} : { cache }),
    // What no other dialect's result may hold.
    ...(content.length === parts.length ? {} : { extra: ownExtra({ content: message.content }) }),
  };
}

function isResultContent(part: Part): part is TextPart | ImagePart | FilePart {
  return part.kind === 'text' || part.kind === 'image' || part.kind === 'file';
}
