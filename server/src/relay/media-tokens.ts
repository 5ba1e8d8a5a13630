import { asWord, type JsonObject } from '@tollgate/wire';
import { type PictureSize, pictureSize } from './picture-size.ts';

/** Of what is no picture, and of pictures that cannot be looked at (contract 6.8). */
const tokensOf = { sound: 100, file: 5_000, picture: 255, block: 1_000, low: 85 } as const;
const longestSide = 2_048;
const shortSide = 768;
const tileSide = 512;

/** How the models of a family count pictures: a base, and so many for each tile; the first that fits. */
const families: readonly { readonly name: RegExp; readonly base: number; readonly tile: number }[] = [
  { name: /^gpt-4o-mini/, base: 2_833, tile: 5_667 },
  { name: /^glm-4v/, base: 1_047, tile: 0 },
  { name: /^/, base: 85, tile: 170 },
];

type Count = (member: unknown, holder: JsonObject, model: string) => number;

/** Members that hold media, in all dialects: how many tokens each is taken for. */
const counts: Readonly<Record<string, Count>> = {
  image_url: picture,
  input_audio: () => tokensOf.sound,
  file: () => tokensOf.file,
  source: (_member, { type }) => (type === 'document' ? tokensOf.file : tokensOf.block),
  inlineData: byType,
  inline_data: byType,
  fileData: byType,
  file_data: byType,
};

/** The tokens of the media in a member; undefined = it holds none. */
export function mediaTokens(key: string, member: unknown, holder: JsonObject, model: string): number | undefined {
  return Object.hasOwn(counts, key) && member !== null ? counts[key]?.(member, holder, model) : undefined;
}

/** A part that is a file, whatever its members are called. */
export function isFilePart({ type }: JsonObject): boolean {
  return type === 'input_file';
}

export const fileTokens = tokensOf.file;

function picture(member: unknown, holder: JsonObject, model: string): number {
  const inner = typeof member === 'object' && member !== null ? (member as JsonObject) : {};
  const url = inner.url ?? member;
  if ((inner.detail ?? holder.detail) === 'low') return tokensOf.low;
  const family = families.find(({ name }) => name.test(model));
  if (family === undefined || family.tile === 0) return family?.base ?? tokensOf.picture;
  const size = typeof url === 'string' && url.startsWith('data:') ? pictureSize(url) : undefined;
  return size === undefined ? tokensOf.picture : family.base + family.tile * tilesIn(size);
}

function tilesIn({ width, height }: PictureSize): number {
  const fit = Math.min(1, longestSide / Math.max(width, height));
  const scale = fit * Math.min(1, shortSide / (Math.min(width, height) * fit));
  const along = (side: number) => Math.max(1, Math.ceil(Math.round(side * scale) / tileSide));
  return along(width) * along(height);
}

function byType(member: unknown): number {
  const { mimeType, mime_type } = (typeof member === 'object' ? member : {}) as JsonObject;
  const type = asWord(mimeType ?? mime_type);
  if (type.startsWith('image/')) return tokensOf.picture;
  return type.startsWith('audio/') ? tokensOf.sound : tokensOf.file;
}
