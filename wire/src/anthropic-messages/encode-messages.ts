import { withShownByUser } from '../chat/instructions.ts';
import type { ForeignPart, Part, TextPart } from '../chat/parts.ts';
import type { ChatRequest } from '../chat/request.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { createCallIds } from './call-ids.ts';
import { encodeBlocks, encodeText, plainText, type Target } from './encode-blocks.ts';
import { collect } from './fields.ts';
import type { ModelTraits } from './models.ts';
import { dialectName, nothingToSay } from './types.ts';

export interface SpelledConversation {
  readonly system?: string | JsonObject[];
  readonly messages: JsonObject[];
}

/** Whom a conversation is spelled for, and who hears what cannot be said. */
interface Listener extends Pick<Target, 'isNative' | 'lose'> {
  readonly traits: ModelTraits;
}

/** What one side said in neighbouring messages. */
interface Turn {
  readonly role: 'user' | 'assistant';
  /** As long as all of it is plain text; it then has no parts yet. */
  texts: string[] | undefined;
  readonly parts: Part[];
}

/**
 * Spells the conversation. What a caller of this dialect said stays as it was; what others said is brought under its
 * rules (contract 6.11): instructions go to the front, turns alternate, begin with the user's and are never empty,
 * results of tools come first in theirs, and the last is the user's where the model does not go on with its own.
 */
export function encodeConversation(request: ChatRequest, { isNative, traits, lose }: Listener): SpelledConversation {
  const callId = createCallIds();
  const targetFor = (role: Target['role']): Target => ({ role, isNative, callId, lose });
  const instructions: TextPart[] = [...request.system];
  const turns: Turn[] = [];
  const messages: JsonObject[] = [];
  for (const { role, parts, name } of isNative ? request.messages : withShownByUser(request.messages)) {
    if (name !== undefined) lose('name');
    if (isNative) messages.push(encodeTurn(role, parts, targetFor(role)));
    else if (role === 'system') for (const part of parts) append(instructions, textOf(part, lose));
    else join(turns, role, parts);
  }
  for (const turn of turns) messages.push(encodeTurn(turn.role, partsOf(turn), targetFor(turn.role)));
  if (!isNative && messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: nothingToSay });
  if (!isNative) endPrefill(messages, traits, lose);
  return { system: encodeSystem(instructions, targetFor('system')), messages };
}

/** An answer that is to be gone on with may not end in blanks, and newer models do not go on with any. */
function endPrefill(messages: JsonObject[], { continues }: ModelTraits, lose: Target['lose']): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return;
  if (!continues) {
    lose('prefill');
    messages.push({ role: 'user', content: nothingToSay });
    return;
  }
  if (typeof last.content === 'string') messages[messages.length - 1] = { ...last, content: last.content.trimEnd() };
  const blocks = asObjects(last.content);
  const block = blocks.at(-1);
  if (block?.type !== 'text') return;
  const trimmed = { ...block, text: asText(block.text).trimEnd() };
  messages[messages.length - 1] = { ...last, content: [...blocks.slice(0, -1), trimmed] };
}

function encodeTurn(role: Target['role'], parts: readonly Part[], target: Target): JsonObject {
  const ordered = target.isNative
    ? parts
    : [...parts.filter(({ kind }) => kind === 'tool-result'), ...parts.filter(({ kind }) => kind !== 'tool-result')];
  const members = Object.assign({}, ...ordered.filter(isMember).map(({ raw }) => raw)) as JsonObject;
  const blocks = encodeBlocks(
    ordered.filter((part) => !isMember(part)),
    target,
  );
  if (blocks.length > 0) return { role, content: plainText(blocks) ?? blocks, ...members };
  if (Object.keys(members).length > 0) return { role, ...members };
  return { role, content: target.isNative ? '' : nothingToSay };
}

/** A member of the message itself, as the decoder keeps it: blocks have a type. */
function isMember(part: Part): part is ForeignPart {
  return part.kind === 'foreign' && part.dialect === dialectName && part.raw.type === undefined && part.name in part.raw;
}

/** Turns of the same side are one: plain texts joined by a space, all else side by side. */
function join(turns: Turn[], role: Turn['role'], parts: readonly Part[]): void {
  const last = turns.at(-1);
  const turn: Turn = last?.role === role ? last : { role, texts: [], parts: [] };
  if (turn !== last) turns.push(turn);
  const plain = plainOf(parts);
  if (plain !== undefined && turn.texts !== undefined) {
    turn.texts.push(plain);
    return;
  }
  if (turn.texts !== undefined) append(turn.parts, partsOf(turn));
  turn.texts = undefined;
  append(turn.parts, parts);
}

function partsOf({ texts, parts }: Turn): readonly Part[] {
  return texts === undefined ? parts : [{ kind: 'text', text: texts.filter((text) => text !== '').join(' ') }];
}

/** One by one: there may be more than a call takes arguments. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}

function plainOf(parts: readonly Part[]): string | undefined {
  const [only] = parts;
  if (parts.length === 0) return '';
  const isPlain = parts.length === 1 && only?.kind === 'text' && only.cache === undefined && only.citations === undefined;
  return isPlain ? only.text : undefined;
}

function textOf(part: Part, lose: Target['lose']): TextPart[] {
  if (part.kind === 'text') return [part];
  if (part.kind === 'foreign' && part.text !== undefined) return [{ kind: 'text', text: part.text }];
  lose(part.kind === 'foreign' ? part.name : part.kind.replace('-', '_'));
  return [];
}

/** One string, joined by line breaks, unless parts of it are marked or the caller kept them apart. */
function encodeSystem(parts: readonly TextPart[], target: Target): string | JsonObject[] | undefined {
  const blocks = collect(parts, (part) => encodeText(part, target));
  if (blocks.length === 0) return undefined;
  const isPlain = blocks.every((block) => Object.keys(block).length === 2);
  if (isPlain && (!target.isNative || blocks.length === 1)) return blocks.map(({ text }) => text).join('\n');
  return blocks;
}
