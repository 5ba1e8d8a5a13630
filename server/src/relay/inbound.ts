import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { entryOf } from '@tollgate/wire';
import { BodyTooLarge, type ServedRequest } from '../platform/http/served.ts';
import { localFault } from './faults.ts';

const maxRatio = 20;
const maxDecodedBytes = 32 * 1024 * 1024;
const decoders: Readonly<Record<string, (input: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(zlib.gunzip),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
};

/**
 * Reads the request body once, at most `maxBytes`, and undoes a gzip, br or zstd encoding (at most 20:1 and 32 MiB, R-54).
 * Rejects with a RelayFault, or with `undefined` when the caller went away.
 */
export function readBody(request: ServedRequest, maxBytes: number): Buffer | Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const sent = request.body(maxBytes);
  return encoding === 'identity' && !(sent instanceof Promise) ? sent : decoded(sent, encoding);
}

async function decoded(sent: Buffer | Promise<Buffer>, encoding: string): Promise<Buffer> {
  const raw = await Promise.resolve(sent).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? localFault('body_too_large') : error;
  });
  if (encoding === 'identity') return raw;
  const decode = entryOf(decoders, encoding);
  if (decode === undefined) throw localFault('invalid_request', { reason: 'unknown content encoding' });
  try {
    return await decode(raw, { maxOutputLength: Math.min(maxDecodedBytes, Math.max(raw.length * maxRatio, 65_536)) });
  } catch {
    throw localFault('invalid_request', { reason: 'the compressed body is broken or too large' });
  }
}
