import type {
  FilePart,
  ForeignPart,
  ImagePart,
  MediaSource,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../chat/parts.ts';
import type { PartHead } from '../chat/response.ts';
import { asObject, asObjects, asText, defined, type JsonObject } from '../json.ts';
import { extraOf, readCache } from './fields.ts';
import { dialectName } from './types.ts';

/** The parts of a `content` member: a string, or a list of blocks. Never throws. */
export function decodeContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return asObjects(content).map(decodeBlock);
}

/** One content block, of a prompt or an answer. Kinds that only this dialect has stay as they are. */
export function decodeBlock(block: JsonObject): Part {
  switch (block.type) {
    case 'text':
      return decodeText(block);
    case 'image':
      return decodeImage(block) ?? foreign(block);
    case 'document':
      return decodeDocument(block) ?? foreign(block);
    case 'thinking':
      return decodeThinking(block);
    case 'redacted_thinking':
      return { kind: 'reasoning', text: '', redacted: asText(block.data), dialect: dialectName };
    case 'tool_use':
      return decodeToolUse(block);
    case 'tool_result':
      return decodeToolResult(block);
    default:
      return foreign(block);
  }
}

/** A text block; also those of `system`. */
export function decodeText(block: JsonObject): TextPart {
  const citations = asObjects(block.citations);
  return defined({
    kind: 'text',
    text: asText(block.text),
    cache: readCache(block),
    citations: citations.length === 0 ? undefined : citations,
  });
}

function decodeThinking(block: JsonObject): Part {
  const signature = asText(block.signature);
  return defined({
    kind: 'reasoning',
    text: asText(block.thinking),
    signature: signature === '' ? undefined : signature,
    dialect: dialectName,
  });
}

function decodeToolUse(block: JsonObject): ToolCallPart {
  return defined({
    ...callHead(block),
    arguments: JSON.stringify(block.input ?? {}),
    cache: readCache(block),
  });
}

/** What a call is before its arguments come. */
export function callHead(block: JsonObject): Extract<PartHead, { kind: 'tool-call' }> {
  const { type } = asObject(block.caller) ?? {};
  // `direct` is what a call is when nothing is said.
  const caller = type === undefined || type === 'direct' ? undefined : block.caller;
  return defined({
    kind: 'tool-call',
    id: asText(block.id),
    name: asText(block.name),
    extra: extraOf({ caller, toolset_name: block.toolset_name }, []),
  });
}

function decodeToolResult(block: JsonObject): ToolResultPart {
  const blocks = typeof block.content === 'string' ? [] : asObjects(block.content);
  const content: (TextPart | ImagePart | FilePart)[] = [];
  let isPlain = true;
  for (const part of decodeContent(block.content)) {
    if (part.kind === 'text' || part.kind === 'image' || part.kind === 'file') content.push(part);
    else {
      isPlain = false;
      if (part.kind === 'foreign' && part.text !== undefined) content.push({ kind: 'text', text: part.text });
    }
  }
  return defined({
    kind: 'tool-result',
    id: asText(block.tool_use_id),
    name: '',
    content,
    isError: block.is_error === true ? true : undefined,
    cache: readCache(block),
    extra: extraOf({ tool_result_content: isPlain ? undefined : blocks, toolset_name: block.toolset_name }, []),
  });
}

function decodeImage(block: JsonObject): ImagePart | undefined {
  const source = decodeSource(asObject(block.source) ?? {});
  const extra = extraOf({ transformations: block.transformations }, []);
  return source && defined<ImagePart>({ kind: 'image', source, cache: readCache(block), extra });
}

function decodeDocument(block: JsonObject): FilePart | undefined {
  const source = decodeSource(asObject(block.source) ?? {});
  if (source === undefined) return undefined;
  const title = asText(block.title);
  const isCited = asObject(block.citations)?.enabled === true;
  return defined<FilePart>({
    kind: 'file',
    source,
    name: title === '' ? undefined : title,
    cache: readCache(block),
    extra: extraOf({ context: block.context, citations: isCited ? block.citations : undefined }, []),
  });
}

function decodeSource(source: JsonObject): MediaSource | undefined {
  const mediaType = asText(source.media_type);
  switch (source.type) {
    case 'base64':
      return { at: 'inline', mediaType, base64: asText(source.data) };
    case 'text':
      return { at: 'inline', mediaType: mediaType || 'text/plain', base64: Buffer.from(asText(source.data)).toString('base64') };
    case 'url':
      return { at: 'url', url: asText(source.url) };
    case 'file':
      return { at: 'upstream', id: asText(source.file_id), dialect: dialectName };
    default:
      return undefined;
  }
}

function foreign(block: JsonObject): ForeignPart {
  const text = textOf(block);
  return defined({
    kind: 'foreign',
    dialect: dialectName,
    name: asText(block.type) || 'unknown',
    raw: block,
    text: text === '' ? undefined : text,
  });
}

/** What the text that stands for a block elsewhere leaves out of it, by name. */
export function unsaidIn({ raw, text }: ForeignPart): string[] {
  if (text === undefined) return [];
  const others = contentOf(raw).filter(({ kind }) => kind !== 'text');
  return [
    ...others.map((part) => (part.kind === 'foreign' ? part.name : part.kind)),
    ...(asObject(raw.citations)?.enabled === true ? ['citations'] : []),
    ...(asText(raw.context) === '' ? [] : ['context']),
    ...(readCache(raw) === undefined ? [] : ['cache_control']),
  ];
}

function contentOf(block: JsonObject): Part[] {
  return decodeContent(block.type === 'document' ? asObject(block.source)?.content : block.content);
}

/**
 * What a block of the caller's says in words: search results, documents made of blocks, the summary that stands for what was
 * said before, and the name of a tool that was found.
 */
function textOf(block: JsonObject): string {
  if (block.type === 'compaction') return asText(block.content);
  if (block.type === 'tool_reference') return asText(block.tool_name);
  if (block.type !== 'search_result' && block.type !== 'document') return '';
  const texts = contentOf(block).flatMap((part) => (part.kind === 'text' ? part.text : []));
  const source = typeof block.source === 'string' ? block.source : '';
  return [asText(block.title), source, ...texts].filter((text) => text !== '').join('\n');
}
