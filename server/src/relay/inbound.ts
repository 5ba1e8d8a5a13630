import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { localFault, type RelayFault } from './faults.ts';

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
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  const raw = await collect(request, maxBytes);
  if (encoding === undefined || encoding === 'identity') return raw;
  const decode = decoders[encoding];
  if (decode === undefined) throw localFault('invalid_request', { reason: `unknown content encoding` });
  try {
    return await decode(raw, { maxOutputLength: Math.min(maxDecodedBytes, Math.max(raw.length * maxRatio, 65_536)) });
  } catch {
    throw localFault('invalid_request', { reason: 'the compressed body is broken or too large' });
  }
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
    request.on('error', () => reject(undefined));
    request.on('close', () => reject(undefined));
  });
}

function tooLarge(): RelayFault {
  return localFault('body_too_large');
}
