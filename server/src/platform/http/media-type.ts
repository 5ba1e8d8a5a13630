const allowed = /^(?:image|audio)\/[a-z0-9.+-]{1,64}$|^application\/pdf$/;
/** Servers that do not know what they have. */
const unknown: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download']);

const beginnings: readonly (readonly [mediaType: string, offset: number, text: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/bmp', 0, 'BM'],
  ['image/heic', 4, 'ftypheic'],
  ['image/avif', 4, 'ftypavif'],
  ['application/pdf', 0, '%PDF-'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
];

/** The type of a picture, a sound or a PDF, as its server says or as its first bytes show; undefined for anything else. */
export function mediaTypeOf(contentType: string, bytes: Buffer): string | undefined {
  const said = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (said === 'image/jpg') return 'image/jpeg';
  if (!unknown.has(said)) return allowed.test(said) ? said : undefined;
  const head = bytes.toString('latin1', 0, 16);
  return beginnings.find(([, offset, text]) => head.startsWith(text, offset))?.[0];
}
