/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** So much of a picture is looked at: what stands before its size are notes of a camera. */
const lookedAtBytes = 65_536;
const prefix = /^data:[^,]{0,200};base64,/;

/** As the first bytes of inline PNG, JPEG, GIF or WebP say; undefined = they do not. Never throws. */
export function pictureSize(text: string): PictureSize | undefined {
  const start = prefix.exec(text)?.[0].length ?? 0;
  const bytes = Buffer.from(text.slice(start, start + Math.ceil(lookedAtBytes / 3) * 4), 'base64');
  const size = readers.find(({ mark, at }) => bytes.toString('latin1', at, at + mark.length) === mark)?.read(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

interface Reader {
  /** What stands at `at` in such a file. */
  readonly mark: string;
  readonly at: number;
  read(bytes: Buffer): PictureSize | undefined;
}

const readers: readonly Reader[] = [
  { mark: '\x89PNG\r\n', at: 0, read: (bytes) => pairAt(bytes, 16, (at) => bytes.readUInt32BE(at), 4) },
  { mark: 'GIF8', at: 0, read: (bytes) => pairAt(bytes, 6, (at) => bytes.readUInt16LE(at), 2) },
  { mark: '\xff\xd8', at: 0, read: readJpeg },
  { mark: 'WEBPVP8X', at: 8, read: (bytes) => pairAt(bytes, 24, (at) => bytes.readUIntLE(at, 3) + 1, 3) },
  { mark: 'WEBPVP8 ', at: 8, read: (bytes) => pairAt(bytes, 26, (at) => bytes.readUInt16LE(at) & 0x3fff, 2) },
  { mark: 'WEBPVP8L', at: 8, read: readLossless },
];

function pairAt(bytes: Buffer, at: number, read: (at: number) => number, width: number): PictureSize | undefined {
  if (bytes.length < at + 2 * width) return undefined;
  return { width: read(at), height: read(at + width) };
}

/** 14 bits each, less one. */
function readLossless(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 25) return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** From segment to segment to the one that begins the picture. */
function readJpeg(bytes: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const kind = bytes[at + 1] ?? 0;
    const isTable = kind === 0xc4 || kind === 0xc8 || kind === 0xcc;
    if (kind >= 0xc0 && kind <= 0xcf && !isTable) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
  }
  return undefined;
}
