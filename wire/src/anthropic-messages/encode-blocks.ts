import { imageType } from '../chat/media.ts';
import type {
  FilePart,
  ForeignPart,
  ImagePart,
  MediaSource,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../chat/parts.ts';
import { seal, sealSignature } from '../chat/seal.ts';
import { asText, defined, type JsonObject, parseArguments } from '../json.ts';
import { ownFields, writeCache } from './fields.ts';
import { dialectName } from './types.ts';

/** Where content is spelled for, and where what the dialect cannot say is noted. */
export interface Target {
  readonly role: 'user' | 'assistant' | 'system';
  /** The caller spoke this dialect: what it said stays as it was. */
  readonly isNative: boolean;
  /** It is for a caller, who may read thoughts of others and keeps what is sealed. */
  readonly isAnswer?: boolean;
  callId(part: ToolCallPart | ToolResultPart): string;
  lose(word: string): void;
}

/** The content blocks of some parts. Texts without text are left out, and blank ones: the dialect refuses them. */
export function encodeBlocks(parts: readonly Part[], target: Target): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    const block = encodeBlock(part, target);
    if (block !== undefined) blocks.push(block);
    const signature = target.isAnswer === true && part.kind === 'tool-call' ? callSignature(part) : undefined;
    if (signature !== undefined) blocks.push(signature);
  }
  return blocks;
}

function encodeBlock(part: Part, target: Target): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
      return encodeText(part, target);
    case 'refusal':
      return encodeText({ kind: 'text', text: part.text }, target);
    case 'image':
    case 'file':
      return encodeMedia(part, target);
    case 'audio':
      target.lose('audio');
      return target.isAnswer || part.transcript === undefined
        ? undefined
        : encodeText({ kind: 'text', text: part.transcript }, target);
    case 'reasoning':
      return encodeReasoning(part, target);
    case 'tool-call':
      return encodeToolCall(part, target);
    case 'tool-result':
      return encodeToolResult(part, target);
    case 'foreign':
      return encodeForeign(part, target);
  }
}

/** A text block; also those of `system`. Undefined when there is no text. */
export function encodeText({ text, cache, citations }: TextPart, { isNative, isAnswer, lose }: Target): JsonObject | undefined {
  if (!isNative && (isAnswer === true ? text : text.trim()) === '') return undefined;
  const own = (citations ?? []).filter(isOwnCitation);
  if (own.length < (citations?.length ?? 0)) lose('citations');
  return { type: 'text', text, ...(own.length === 0 ? {} : { citations: own }), ...writeCache(cache) };
}

/** Is it a source as this dialect spells them? */
export function isOwnCitation(citation: JsonObject): boolean {
  return asText(citation.type).endsWith('_location');
}

function encodeMedia(part: ImagePart | FilePart, { role, isNative, lose }: Target): JsonObject | undefined {
  if (part.kind === 'image' && part.detail !== undefined && part.detail !== 'auto') lose('image_detail');
  const source = role === 'user' || isNative ? encodeSource(part.source, isNative) : undefined;
  if (source === undefined) {
    lose(part.kind);
    return undefined;
  }
  const mark = writeCache(part.cache);
  const own = ownFields(part.extra, lose);
  if (part.kind === 'image' || isImage(part.source))
    return { type: 'image', source, ...(part.kind === 'image' ? own : {}), ...mark };
  const title = part.name === undefined ? {} : { title: part.name };
  return { type: 'document', source, ...title, ...own, ...mark };
}

function isImage(source: MediaSource): boolean {
  return source.at !== 'upstream' && source.mediaType?.startsWith('image/') === true;
}

function encodeSource(source: MediaSource, isNative: boolean): JsonObject | undefined {
  if (source.at === 'url') return { type: 'url', url: source.url };
  if (source.at === 'upstream') {
    const isKnown = source.dialect === undefined || source.dialect === dialectName;
    return isKnown ? { type: 'file', file_id: source.id } : undefined;
  }
  const { mediaType, base64 } = source;
  if (mediaType.startsWith('image/') && !isNative)
    return { type: 'base64', media_type: imageType(mediaType, base64), data: base64 };
  if (mediaType === 'application/pdf' || mediaType.startsWith('image/'))
    return { type: 'base64', media_type: mediaType, data: base64 };
  if (!/^text\/|^application\/(json|xml|yaml)$/.test(mediaType)) return undefined;
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(base64, 'base64').toString('utf8') };
}

function encodeReasoning(part: ReasoningPart, { isAnswer, lose }: Target): JsonObject | undefined {
  const { text, signature, redacted, dialect } = part;
  if (dialect !== dialectName && isAnswer !== true) {
    if (text !== '') lose('reasoning');
    if (signature !== undefined || redacted !== undefined) lose('reasoning_signature');
    return undefined;
  }
  if (redacted !== undefined)
    return { type: 'redacted_thinking', data: seal({ of: 'redacted', dialect, value: redacted }, dialectName) };
  const signed = sealSignature({ signature, dialect }, dialectName);
  return defined({ type: 'thinking', thinking: text, signature: signed ?? (isAnswer ? '' : undefined) });
}

function encodeToolCall(part: ToolCallPart, target: Target): JsonObject {
  if (part.signature !== undefined && target.isAnswer !== true) target.lose('reasoning_signature');
  return {
    type: 'tool_use',
    id: target.callId(part),
    name: part.name,
    input: toolInput(part.arguments),
    ...ownFields(part.extra, target.lose),
    ...writeCache(part.cache),
  };
}

/** The block behind a call that keeps its signature; undefined when it has none. */
export function callSignature({
  signature: value,
  dialect,
}: Pick<ToolCallPart, 'signature' | 'dialect'>): JsonObject | undefined {
  if (value === undefined || dialect === undefined) return undefined;
  return { type: 'redacted_thinking', data: seal({ of: 'call', dialect, value }, dialectName) };
}

/** Arguments as the object that the dialect wants; what is none is wrapped as its reference advises. */
function toolInput(text: string): JsonObject {
  if (text.trim() === '') return {};
  return parseArguments(text) ?? { INVALID_JSON: text };
}

function encodeToolResult(part: ToolResultPart, target: Target): JsonObject {
  const { tool_result_content: raw, ...others } = ownFields(part.extra, target.lose);
  const blocks = Array.isArray(raw) ? raw : encodeBlocks(part.content, { ...target, role: 'user' });
  return {
    type: 'tool_result',
    tool_use_id: target.callId(part),
    ...(blocks.length === 0 ? {} : { content: plainText(blocks) ?? blocks }),
    ...(part.isError === true ? { is_error: true } : {}),
    ...others,
    ...writeCache(part.cache),
  };
}

/** The text of content that is one text and nothing else, which may be spelled as a string. */
export function plainText(blocks: readonly JsonObject[]): string | undefined {
  const [only] = blocks;
  if (blocks.length !== 1 || only?.type !== 'text' || Object.keys(only).length !== 2) return undefined;
  return asText(only.text) === '' ? undefined : asText(only.text);
}

function encodeForeign({ dialect, name, raw, text }: ForeignPart, target: Target): JsonObject | undefined {
  if (dialect === dialectName) return raw;
  if (text !== undefined) return encodeText({ kind: 'text', text }, target);
  target.lose(name);
  return undefined;
}
