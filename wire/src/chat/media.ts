import type { MediaSource } from './parts.ts';

/** Reads an address that may carry its content: a data URL becomes inline media, all else stays an address. Never throws. */
export function mediaSource(url: string, fallbackType: string): MediaSource {
  if (!/^data:/i.test(url)) return { at: 'url', url };
  const comma = url.indexOf(',');
  if (comma < 0 || comma > 512) return { at: 'url', url };
  const [type = '', ...flags] = url.slice(5, comma).split(';');
  const mediaType = type.trim().toLowerCase() || fallbackType;
  const content = url.slice(comma + 1);
  if (flags.some((flag) => flag.trim().toLowerCase() === 'base64')) return { at: 'inline', mediaType, base64: content };
  return { at: 'inline', mediaType, base64: encodePlain(content) };
}

/** How pictures begin, as base64. */
const beginnings: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** The type of an inline picture as its first bytes show, which some vendors compare with what is said. */
export function imageType(mediaType: string, base64: string): string {
  return beginnings.find(([start]) => base64.startsWith(start))?.[1] ?? (mediaType === 'image/jpg' ? 'image/jpeg' : mediaType);
}

function encodePlain(content: string): string {
  try {
    return Buffer.from(decodeURIComponent(content)).toString('base64');
  } catch {
    return Buffer.from(content).toString('base64');
  }
}

/** The address of media, a data URL where it is inline; undefined where only the upstream has it. */
export function mediaUrl(source: MediaSource): string | undefined {
  if (source.at === 'inline') return `data:${source.mediaType};base64,${source.base64}`;
  return source.at === 'url' ? source.url : undefined;
}

/** The name of content, or one for what came without. It has an ending, by which some vendors know the type. */
export function fileName(mediaType: string, name = 'file'): string {
  if (/\.[a-z][a-z0-9]{0,4}$/i.test(name)) return name;
  const kind = mediaType.split(/[/;]/)[1] ?? '';
  return `${name}.${kind === 'plain' ? 'txt' : /^[a-z0-9]{1,8}$/.test(kind) ? kind : 'bin'}`;
}
