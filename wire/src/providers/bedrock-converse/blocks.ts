import type { FilePart, ImagePart, Part, TextPart, ToolResultPart } from '../../chat/parts.ts';
import { asObject, entryOf, type JsonObject, parseArguments } from '../../json.ts';
import { lostWord } from '../losses.ts';
import { dialect, type ModelTraits } from './types.ts';

/** How blocks of one request are written: what gets lost, and what must be numbered. */
export interface BlockContext {
  readonly losses: Set<string>;
  readonly caches: ModelTraits['caches'];
  /** Documents so far: their names must differ. */
  documents: number;
}

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

/** Ids and names of tools are letters, digits, `_` and `-`, at most 64 of them. */
export function toolWord(word: string): string {
  return word.replace(/[^a-zA-Z0-9_-]/g, '_').slice(-64) || 'unnamed';
}

/** The blocks of one part; none for what the dialect cannot say, which is then noted. */
export function encodePart(part: Part, context: BlockContext): JsonObject[] {
  const blocks = blocksOf(part, context);
  const cache = 'cache' in part ? part.cache : undefined;
  return blocks.length === 0 ? blocks : [...blocks, ...cachePoints(cache, context, part.kind.startsWith('tool-'))];
}

/** The point behind what is marked; none where the model refuses it, which is then noted. */
export function cachePoints(cache: '5m' | '1h' | undefined, { caches, losses }: BlockContext, ofTool: boolean): JsonObject[] {
  if (cache === undefined) return [];
  const isKept = caches === 'all' || (caches === 'plain' && !ofTool);
  if (!isKept || (cache === '1h' && caches === 'plain')) losses.add('cache_control');
  return isKept ? [{ cachePoint: { type: 'default', ...(cache === '1h' && caches === 'all' ? { ttl: cache } : {}) } }] : [];
}

function blocksOf(part: Part, context: BlockContext): JsonObject[] {
  switch (part.kind) {
    case 'text':
      if (part.citations !== undefined) context.losses.add('citations');
      return textBlocks(part.text);
    case 'refusal':
      return textBlocks(part.text);
    case 'foreign':
      context.losses.add(lostWord(part));
      return textBlocks(part.text ?? '');
    case 'image':
      return imageBlocks(part, context);
    case 'file':
      return fileBlocks(part, context);
    case 'tool-call':
      return [{ toolUse: { toolUseId: toolWord(part.id), name: toolWord(part.name), input: inputOf(part.arguments) } }];
    case 'tool-result':
      return [toolResult(part, context)];
    case 'reasoning':
      if (part.dialect === dialect) return [{ reasoningContent: reasoningOf(part) }];
      context.losses.add(part.signature === undefined && part.redacted === undefined ? 'reasoning' : 'reasoning_signature');
      return [];
    case 'audio':
      context.losses.add('audio');
      return part.transcript === undefined ? [] : textBlocks(part.transcript);
  }
}

/** Blank texts are refused. */
function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ text }];
}

function imageBlocks({ source, detail = 'auto' }: ImagePart, { losses }: BlockContext): JsonObject[] {
  if (detail !== 'auto') losses.add('image_detail');
  const format = source.at === 'inline' ? entryOf(imageFormats, source.mediaType) : undefined;
  if (source.at === 'inline' && format !== undefined) return [{ image: { format, source: { bytes: source.base64 } } }];
  losses.add('image');
  return [];
}

function fileBlocks({ source, name }: FilePart, context: BlockContext): JsonObject[] {
  const format = source.at === 'inline' ? entryOf(documentFormats, source.mediaType) : undefined;
  if (source.at !== 'inline' || format === undefined) {
    context.losses.add('file');
    return [];
  }
  context.documents += 1;
  return [{ document: { format, name: documentName(name, context.documents), source: { bytes: source.base64 } } }];
}

/** Letters, digits, single blanks, hyphens and brackets; no two alike. */
function documentName(name: string | undefined, number: number): string {
  const clean = (name ?? 'document')
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{N}\s()[\]-]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 150);
  return number === 1 ? clean || 'document' : `${clean || 'document'} ${number}`;
}

/** Arguments must be an object; what is none is kept as text. */
function inputOf(text: string): JsonObject {
  return parseArguments(text) ?? (text.trim() === '' ? {} : { _raw: text });
}

function toolResult({ id, content, isError }: ToolResultPart, context: BlockContext): JsonObject {
  const blocks = content.flatMap((part: TextPart | ImagePart | FilePart) => {
    if (part.cache !== undefined) context.losses.add('cache_control');
    return blocksOf(part, context);
  });
  const status = isError === true ? { status: 'error' } : {};
  return { toolResult: { toolUseId: toolWord(id), content: blocks.length === 0 ? [{ text: '...' }] : blocks, ...status } };
}

function reasoningOf({ text, signature, redacted }: Extract<Part, { kind: 'reasoning' }>): JsonObject {
  if (redacted !== undefined) return { redactedContent: redacted };
  return { reasoningText: { text, ...(signature === undefined ? {} : { signature }) } };
}

/** Does a block speak of tools? Such a conversation must come with tools. */
export function toolNameIn(block: JsonObject): string | undefined {
  const name = asObject(block.toolUse)?.name;
  return typeof name === 'string' ? name : undefined;
}
