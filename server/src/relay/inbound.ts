import zlib from 'node:zlib';
import { createGatherer, entryOf } from '@tollgate/wire';
import { BodyTooLarge, type ServedRequest } from '../platform/http/served.ts';
import { type BodyBudget, type BodyPlace, noRoom } from './body-budget.ts';
import { localFault } from './faults.ts';

const maxRatio = 20;
const maxDecodedBytes = 32 * 1024 * 1024;
const decoders: Readonly<Record<string, () => zlib.Gunzip | zlib.BrotliDecompress | zlib.ZstdDecompress>> = {
  gzip: zlib.createGunzip,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** What the body takes, and of what. */
export interface BodyRoom {
  readonly bodies: BodyBudget;
  readonly place: BodyPlace;
}

/**
 * Reads the request body once, at most `maxBytes`, and undoes a gzip, br or zstd encoding (at most 20:1 and 32 MiB, R-54),
 * as far as there is room for what it unpacks to. Rejects with a RelayFault, or with `undefined` when the caller went away.
 */
export function readBody(request: ServedRequest, maxBytes: number, room: BodyRoom): Buffer | Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const sent = request.body(maxBytes);
  if (sent instanceof Promise) return decoded(room.bodies.awaited(room.place, sent), encoding, room);
  return encoding === 'identity' ? sent : decoded(sent, encoding, room);
}

async function decoded(sent: Buffer | Promise<Buffer>, encoding: string, room: BodyRoom): Promise<Buffer> {
  const raw = await Promise.resolve(sent).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? localFault('body_too_large') : error;
  });
  if (encoding === 'identity') return raw;
  const make = entryOf(decoders, encoding);
  if (make === undefined) throw localFault('invalid_request', { reason: 'unknown content encoding' });
  const { bodies, place } = room;
  bodies.came(place, raw.length);
  const gathered = createGatherer(Math.min(maxDecodedBytes, Math.max(raw.length * maxRatio, 65_536)));
  const decoder = make();
  decoder.end(raw);
  let isRoom = true;
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      // Counted as it unpacks: what others unpack at the same time is there, too.
      isRoom = bodies.grow(place, piece.length);
      if (!isRoom || !gathered.add(piece)) break;
    }
  } catch {
    throw unreadable();
  }
  if (!isRoom) throw noRoom();
  if (gathered.over) throw unreadable();
  return gathered.take();
}

const unreadable = () => localFault('invalid_request', { reason: 'the compressed body is broken or too large' });
