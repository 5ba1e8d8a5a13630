import type { Losses } from '../chat/losses.ts';
import { fileName, mediaSource, mediaUrl } from '../chat/media.ts';
import type { CacheMark, FilePart, ImagePart, MediaSource, Part, TextPart } from '../chat/parts.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { spellCitations } from './citations.ts';
import { ownFields } from './extra.ts';
import { dialectName } from './types.ts';

/** What an encoding depends on beside what it encodes. */
export interface Target {
  readonly losses: Losses;
  /** The request was decoded from this dialect: what only newer upstreams take may go back to them. */
  readonly isOwn: boolean;
  /** Its caller marks prefixes as this vendor does. */
  readonly takesMarks: boolean;
}

/** The parts of a `content` member: a string or a list. */
export function decodeContent(raw: unknown): Part[] {
  if (typeof raw === 'string') return [{ kind: 'text', text: raw }];
  return asObjects(raw).map(decodePart);
}

function decodePart(raw: JsonObject): Part {
  switch (raw.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return decodeText(raw);
    case 'refusal':
      return { kind: 'refusal', text: asText(raw.refusal) };
    case 'input_image':
      return decodeImage(raw);
    case 'input_file':
      return decodeFile(raw);
    case 'input_audio': {
      const { data, format } = asObject(raw.input_audio) ?? {};
      return { kind: 'audio', base64: asText(data), format: asText(format) };
    }
    default:
      return { kind: 'foreign', dialect: dialectName, name: asText(raw.type) || 'content', raw };
  }
}

function decodeText(raw: JsonObject): TextPart {
  const citations = asObjects(raw.annotations);
  return {
    kind: 'text',
    text: asText(raw.text),
    ...decodeMark(raw),
    ...(citations.length === 0 ? {} : { citations }),
  };
}

function decodeMark({ prompt_cache_breakpoint }: JsonObject): { cache?: CacheMark } {
  const mark = asObject(prompt_cache_breakpoint);
  if (mark === undefined) return {};
  return { cache: mark.ttl === '12h' ? '1h' : '5m' };
}

const details: ReadonlySet<unknown> = new Set(['low', 'high', 'original', 'auto']);

function decodeImage(raw: JsonObject): ImagePart {
  const known = details.has(raw.detail) ? { detail: raw.detail as NonNullable<ImagePart['detail']> } : {};
  return { kind: 'image', source: sourceOf(raw.file_id, raw.image_url, 'image/png'), ...known, ...decodeMark(raw) };
}

function sourceOf(id: unknown, url: unknown, fallbackType: string): MediaSource {
  if (asText(id) !== '') return { at: 'upstream', id: asText(id), dialect: dialectName };
  const address = asObject(url)?.url ?? url;
  return mediaSource(asText(address), fallbackType);
}

function decodeFile(raw: JsonObject): FilePart {
  const data = asText(raw.file_data);
  const fallback = 'application/pdf';
  const isPlain = data !== '' && !/^(data|https?):/i.test(data);
  const source: MediaSource = isPlain
    ? { at: 'inline', mediaType: fallback, base64: data }
    : sourceOf(raw.file_id, data === '' ? raw.file_url : data, fallback);
  const name = asText(raw.filename);
  const extra = raw.detail === undefined ? {} : { extra: { dialect: dialectName, fields: {}, hints: { detail: raw.detail } } };
  return { kind: 'file', source, ...(name === '' ? {} : { name }), ...decodeMark(raw), ...extra };
}

/** One part of what a user or a developer says, or of what a tool gave; undefined and a loss when it cannot be said. */
export function encodeInput(part: Part, target: Target): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
      if (part.citations !== undefined) target.losses.lose('citations');
      return { type: 'input_text', text: part.text, ...encodeMark(part.cache, target) };
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return encodeImage(part, target);
    case 'file':
      return encodeFile(part, target);
    case 'audio':
      if (part.base64 === '') return lost('audio', target);
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format } };
    case 'foreign':
      if (part.dialect === dialectName) return part.raw;
      if (part.text !== undefined) return { type: 'input_text', text: part.text };
      return lost(`hosted_tool:${part.name}`, target);
    default:
      return lost(part.kind.replace('-', '_'), target);
  }
}

function lost(word: string, { losses }: Target): undefined {
  losses.lose(word);
}

/** The mark as a member to spread. Upstreams that are asked on behalf of another dialect may not know it. */
function encodeMark(cache: CacheMark | undefined, { takesMarks, losses }: Target): JsonObject {
  if (cache === undefined) return {};
  if (takesMarks) return { prompt_cache_breakpoint: { mode: 'explicit', ...(cache === '1h' ? { ttl: '12h' } : {}) } };
  losses.lose('cache_control');
  return {};
}

function encodeImage({ source, detail, cache }: ImagePart, target: Target): JsonObject | undefined {
  const place = placeOf(source, 'image_url');
  if (place === undefined) return lost('image', target);
  return { type: 'input_image', ...place, ...(detail === undefined ? {} : { detail }), ...encodeMark(cache, target) };
}

function encodeFile({ source, name, cache, extra }: FilePart, target: Target): JsonObject | undefined {
  const isInline = source.at === 'inline';
  const place = placeOf(source, isInline ? 'file_data' : 'file_url');
  if (place === undefined) return lost('file', target);
  const more = ownFields(extra, target.losses);
  // Inline files need a name that says what they are.
  const filename = isInline && !target.isOwn ? fileName(source.mediaType, name) : name;
  return { type: 'input_file', ...place, ...(filename === undefined ? {} : { filename }), ...encodeMark(cache, target), ...more };
}

/** Files of the two dialects of one vendor are the same. */
const ownIds: ReadonlySet<string | undefined> = new Set([undefined, dialectName, 'openai-chat']);

function placeOf(source: MediaSource, urlField: string): JsonObject | undefined {
  if (source.at === 'upstream') return ownIds.has(source.dialect) ? { file_id: source.id } : undefined;
  return { [urlField]: mediaUrl(source) };
}

/** A text of the model, as it stands in an answer or in a conversation. */
export function encodeOutputText({ text, citations = [] }: TextPart, losses: Losses): JsonObject {
  return { type: 'output_text', text, annotations: spellCitations(citations, text.length, losses) };
}
