import type { AudioPart, Extra, FilePart, ImagePart, MediaSource } from '../chat/parts.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { ownExtra } from './extra.ts';
import { camelKeys, given } from './fields.ts';
import { dialectName } from './types.ts';

const pcm = 'audio/L16;codec=pcm;rate=24000';
const formats: readonly (readonly [format: string, mimeType: string])[] = [
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mp3'],
  ['mp3', 'audio/mpeg'],
  ['pcm16', pcm],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
  ['opus', 'audio/opus'],
  ['m4a', 'audio/mp4'],
];

/** The media type of a sound format; formats without a word of their own are media types without `audio/`. */
export function audioType(format: string): string {
  const known = formats.find(([word]) => word === format)?.[1];
  return known ?? (format === '' ? 'audio/wav' : `audio/${format}`);
}

/** The word for a sound's media type. */
function audioFormat(mimeType: string): string {
  const bare = mimeType.replaceAll(' ', '');
  return formats.find(([, type]) => type === bare)?.[0] ?? mimeType.slice('audio/'.length);
}

const levels: readonly (readonly [level: string, detail: NonNullable<ImagePart['detail']>])[] = [
  ['MEDIA_RESOLUTION_LOW', 'low'],
  ['MEDIA_RESOLUTION_MEDIUM', 'auto'],
  ['MEDIA_RESOLUTION_HIGH', 'high'],
  ['MEDIA_RESOLUTION_ULTRA_HIGH', 'high'],
];

/** The nearest word for a `mediaResolution`; undefined when it names no level. */
export function detailOf(mediaResolution: unknown): ImagePart['detail'] {
  const { level } = camelKeys(asObject(mediaResolution) ?? {});
  return levels.find(([word]) => word === level)?.[1];
}

/** The member that says it of a picture that came in this dialect. */
export function resolutionOf(detail: ImagePart['detail']): JsonObject {
  const level = levels.find(([, word]) => word === detail)?.[0];
  return level === undefined ? {} : { mediaResolution: { level } };
}

/** A part with `inlineData`. */
export function readInline(raw: JsonObject): ImagePart | FilePart | AudioPart {
  const { mimeType, data, displayName } = camelKeys(raw);
  const mediaType = asText(mimeType);
  const base64 = standardBase64(asText(data));
  if (mediaType.startsWith('audio/')) return { kind: 'audio', base64, format: audioFormat(mediaType), ...labelled(displayName) };
  return named({ at: 'inline', mediaType: mediaType || 'application/octet-stream', base64 }, displayName);
}

/** Bytes may be spelled in the alphabet for addresses, which other dialects do not take. */
function standardBase64(data: string): string {
  return /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data;
}

/** A part with `fileData`: something at an address of the web, or a file that the upstream keeps. */
export function readFile(raw: JsonObject): ImagePart | FilePart {
  const { mimeType, fileUri, displayName } = camelKeys(raw);
  const mediaType = asText(mimeType);
  const uri = asText(fileUri);
  const known = mediaType === '' ? {} : { mediaType };
  const source: MediaSource = isKept(uri)
    ? { at: 'upstream', id: uri, dialect: dialectName, ...known }
    : { at: 'url', url: uri, ...known };
  return named(source, displayName);
}

function named(source: MediaSource, displayName: unknown): ImagePart | FilePart {
  if (source.mediaType?.startsWith('image/') === true) return { kind: 'image', source, ...labelled(displayName) };
  return { kind: 'file', source, ...given('name', asText(displayName) || undefined) };
}

/** The name of what has none elsewhere: here a result of a function may refer to it. */
function labelled(displayName: unknown): { extra?: Extra } {
  return given('extra', ownExtra({ displayName: asText(displayName) || undefined }));
}

/** The name under which a part of this dialect came; other names would be refused. */
function nameOf(part: ImagePart | FilePart | AudioPart): JsonObject {
  const { dialect, hints } = part.extra ?? {};
  return given('displayName', part.kind === 'file' ? part.name : dialect === dialectName ? hints?.displayName : undefined);
}

/** An address that means something to the upstream alone: its storage, or its collection of files. */
function isKept(uri: string): boolean {
  return !/^https?:/.test(uri) || /^https:\/\/[^/]+\/v\d\w*\/files\//.test(uri);
}

/**
 * Spells a picture or a file; undefined for another upstream's, of which this one knows nothing. `isOwn` = it came in this
 * dialect, with its name.
 */
export function mediaPart(part: ImagePart | FilePart, isOwn = false): JsonObject | undefined {
  const { source } = part;
  const name = isOwn ? nameOf(part) : {};
  if (source.at === 'inline') return { inlineData: { mimeType: source.mediaType, data: source.base64, ...name } };
  const type = source.mediaType === undefined ? {} : { mimeType: source.mediaType };
  if (source.at === 'url') return { fileData: { ...type, fileUri: source.url, ...name } };
  const isOurs = source.dialect === undefined ? source.id.includes('://') : source.dialect === dialectName;
  return isOurs ? { fileData: { ...type, fileUri: source.id, ...name } } : undefined;
}

/** Spells sound that is not empty. */
export function soundPart(part: AudioPart): JsonObject {
  return { inlineData: { mimeType: audioType(part.format), data: part.base64, ...nameOf(part) } };
}
