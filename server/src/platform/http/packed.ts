import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** Not of the weight 0, which says no (RFC 9110, 12.4.2). */
const gzipWord = /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))/i;
/** A shorter text fits into one packet as it is. */
const leastChars = 1_024;
const gzip = promisify<string, Buffer<ArrayBuffer>>(zlib.gzip);

export function takesGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && gzipWord.test(acceptEncoding);
}

/** A text for who takes it packed; undefined = it goes as it is. */
export function packed(text: string, acceptEncoding: string | undefined): Promise<Buffer<ArrayBuffer>> | undefined {
  return text.length < leastChars || !takesGzip(acceptEncoding) ? undefined : gzip(text);
}
