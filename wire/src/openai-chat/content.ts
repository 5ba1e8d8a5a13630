import type { Extension } from '../chat/dialect.ts';
import { fileName, mediaSource, mediaUrl } from '../chat/media.ts';
import type { AudioPart, CacheMark, FilePart, ForeignPart, ImagePart, Part, TextPart } from '../chat/parts.ts';
import { asObject, asObjects, asText, entryOf, type JsonObject } from '../json.ts';

export const dialectName = 'openai-chat';

/** What the target of an encoding takes, and where what it does not is noted. */
export interface Target {
  can(extension: Extension): boolean;
  lose(word: string): void;
}

/** The parts of a `content` member: a string, null, or a list. */
export function decodeContent(raw: unknown): Part[] {
  if (typeof raw === 'string') return raw === '' ? [] : [{ kind: 'text', text: raw }];
  if (!Array.isArray(raw)) return [];
  const parts: Part[] = [];
  for (const item of raw) {
    const part = typeof item === 'string' ? decodePart({ type: 'text', text: item }) : decodePart(asObject(item) ?? {});
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

function decodePart(raw: JsonObject): Part | undefined {
  const cache = readCache(raw);
  const mark = cache === undefined ? {} : { cache };
  switch (raw.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: asText(raw.text), ...mark };
    case 'image_url':
      return decodeImage(raw.image_url, mark);
    case 'input_audio':
      return decodeAudio(asObject(raw.input_audio) ?? {});
    case 'file':
      return decodeFile(asObject(raw.file) ?? {}, mark);
    case 'file_url':
    case 'video_url':
      return decodeAddressed(raw, raw.type, mark);
    case 'refusal':
      return { kind: 'refusal', text: asText(raw.refusal) };
    case 'thinking':
      return { kind: 'reasoning', text: thinkingText(raw.thinking), dialect: dialectName };
    default:
      return typeof raw.type === 'string' ? { kind: 'foreign', dialect: dialectName, name: raw.type, raw } : undefined;
  }
}

/** Thoughts that stand in a list of content. */
export function thinkingText(raw: unknown): string {
  return typeof raw === 'string'
    ? raw
    : asObjects(raw)
        .map(({ text }) => asText(text))
        .join('');
}

/** A prefix marked for caching, as the vendor takes it or as several others of this dialect do. */
export function readCache({ cache_control, prompt_cache_breakpoint }: JsonObject): CacheMark | undefined {
  const own = asObject(prompt_cache_breakpoint);
  if (own !== undefined) return own.ttl === '12h' ? '1h' : '5m';
  const control = asObject(cache_control);
  if (control?.type !== 'ephemeral') return undefined;
  return control.ttl === '1h' ? '1h' : '5m';
}

interface Mark {
  readonly cache?: CacheMark;
}

const details: ReadonlySet<unknown> = new Set(['low', 'high', 'original', 'auto']);

/** An `image_url` member: an object with the address, or the address alone. */
export function decodeImage(raw: unknown, mark: Mark = {}): ImagePart {
  const image = asObject(raw);
  const known = details.has(image?.detail) ? { detail: image?.detail } : {};
  const source = mediaSource(image === undefined ? asText(raw) : asText(image.url), 'image/png');
  return { kind: 'image', source, ...known, ...mark } as ImagePart;
}

function decodeAudio({ data, format }: JsonObject): AudioPart {
  return { kind: 'audio', base64: asText(data), format: asText(format) };
}

function decodeFile({ file_data, file_id, filename }: JsonObject, mark: Mark): FilePart {
  const name = asText(filename) === '' ? {} : { name: asText(filename) };
  if (asText(file_id) !== '') {
    return { kind: 'file', source: { at: 'upstream', id: asText(file_id), dialect: dialectName }, ...name, ...mark };
  }
  const data = asText(file_data);
  const fallback = 'application/pdf';
  const source = /^(data|https?):/i.test(data)
    ? mediaSource(data, fallback)
    : ({ at: 'inline', mediaType: fallback, base64: data } as const);
  return { kind: 'file', source, ...name, ...mark };
}

const videoTypes: Readonly<Record<string, string>> = {
  webm: 'video/webm',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
};

function decodeAddressed(raw: JsonObject, type: 'file_url' | 'video_url', mark: Mark): FilePart {
  const member = raw[type];
  const url = asText(asObject(member)?.url ?? member);
  const source = mediaSource(url, type === 'video_url' ? 'video/mp4' : 'application/octet-stream');
  if (type === 'file_url' || source.at !== 'url') return { kind: 'file', source, ...mark };
  const ending = /\.([a-z0-9]{1,5})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return { kind: 'file', source: { ...source, mediaType: entryOf(videoTypes, ending) ?? 'video/mp4' }, ...mark };
}

/** Content for parts that a message may hold: one plain text as a string, all else as a list. */
export function encodeContent(parts: readonly Part[], target: Target): string | JsonObject[] {
  const items = parts.map((part) => encodePart(part, target)).filter((item) => item !== undefined);
  const [only] = items;
  if (items.length === 0) return '';
  if (items.length === 1 && only?.type === 'text' && only.cache_control === undefined) return asText(only.text);
  return items;
}

function encodePart(part: Part, target: Target): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text, ...encodeCache(part.cache, target) };
    case 'image':
      return encodeImage(part, target);
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format || 'wav' } };
    case 'file':
      return encodeFile(part, target);
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'foreign':
      return encodeForeign(part, target);
    default:
      target.lose(part.kind.replace('-', '_'));
      return undefined;
  }
}

/** The mark as a member to spread; a loss where the target has none. */
export function encodeCache(cache: CacheMark | undefined, target: Target): JsonObject {
  if (cache === undefined) return {};
  if (target.can('cache_control')) return { cache_control: { type: 'ephemeral', ...(cache === '1h' ? { ttl: '1h' } : {}) } };
  target.lose('cache_control');
  return {};
}

/** A picture by address or inline; undefined and a loss when only another upstream has it. */
export function encodeImage({ source, detail, cache }: ImagePart, target: Target): JsonObject | undefined {
  const url = mediaUrl(source);
  if (url !== undefined) {
    // A newer word of the vendor's, who alone has these tools as well.
    const known = detail === 'original' && !target.can('custom_tools') ? 'high' : detail;
    const image = { url, ...(known === undefined ? {} : { detail: known }) };
    return { type: 'image_url', image_url: image, ...encodeCache(cache, target) };
  }
  target.lose('image');
  return undefined;
}

/** Whose file ids this dialect understands: those of its sibling, too. */
const fileDialects: readonly (string | undefined)[] = [undefined, dialectName, 'openai-responses'];

function encodeFile({ source, name, cache, extra }: FilePart, target: Target): JsonObject | undefined {
  for (const field of Object.keys(extra?.fields ?? {})) target.lose(field);
  const mark = encodeCache(cache, target);
  const filename = name === undefined ? {} : { filename: name };
  if (source.at === 'upstream') {
    if (fileDialects.includes(source.dialect)) return { type: 'file', file: { file_id: source.id, ...filename }, ...mark };
    target.lose('file');
    return undefined;
  }
  const url = mediaUrl(source) ?? '';
  if (source.mediaType?.startsWith('video/') === true) return { type: 'video_url', video_url: { url }, ...mark };
  if (source.at === 'url') return { type: 'file_url', file_url: { url }, ...mark };
  // Content without a name is refused.
  return { type: 'file', file: { file_data: url, filename: fileName(source.mediaType, name) }, ...mark };
}

function encodeForeign(part: ForeignPart, target: Target): JsonObject | undefined {
  if (part.dialect === dialectName) return part.raw;
  if (part.text !== undefined) return { type: 'text', text: part.text };
  target.lose(`hosted_tool:${part.name}`);
  return undefined;
}

/** Text parts alone, for results that hold nothing else. */
export function isText(part: Part): part is TextPart {
  return part.kind === 'text';
}
