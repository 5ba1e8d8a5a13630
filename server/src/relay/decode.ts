import zlib from 'node:zlib';
import { entryOf } from '@tollgate/wire';
import { type BodySink, UpstreamFault } from '../platform/http/client.ts';
import { createFramer, type Framing } from '../providers/index.ts';

const decoders: Readonly<Record<string, () => zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate | zlib.ZstdDecompress>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** No text and no sound packs better; zeros pack ten times as well. */
const maxRatio = 100;
const freeBytes = 1024 * 1024;

/**
 * Undoes the encoding of an upstream that compresses although it was asked not to. What unpacks to more than can have been
 * packed is a fault; the sink behind bounds the rest. An unknown encoding reaches it as it is and is judged there.
 */
export function decodingSink(encoding: string | undefined, sink: BodySink): BodySink {
  const make = encoding === undefined ? undefined : entryOf(decoders, encoding.trim().toLowerCase());
  if (make === undefined) return sink;
  const decoder = make();
  let over = false;
  const once = (action: () => void) => {
    if (over) return;
    over = true;
    action();
  };
  let packed = 0;
  let unpacked = 0;
  decoder.on('data', (chunk: Buffer) => {
    unpacked += chunk.length;
    if (over) return;
    if (unpacked <= Math.max(freeBytes, packed * maxRatio)) return sink.data(chunk);
    decoder.destroy();
    once(() => sink.fault(new UpstreamFault('protocol', 'compressed beyond reason')));
  });
  decoder.on('end', () => once(() => sink.end()));
  decoder.on('error', () => once(() => sink.fault(new UpstreamFault('protocol', 'broken content encoding'))));
  return {
    data(chunk) {
      packed += chunk.length;
      if (!over) decoder.write(chunk);
    },
    end() {
      if (!over) decoder.end();
    },
    fault: (fault) => once(() => sink.fault(fault)),
  };
}

const streamTypes: Readonly<Record<Framing, RegExp>> = {
  json: /json/i,
  sse: /text\/event-stream/i,
  'json-lines': /ndjson|jsonl|stream\+json|json-seq/i,
  'aws-event-stream': /vnd\.amazon\.eventstream/i,
};

/** Does this content type announce a stream in the framing of the provider? */
export function isStream(contentType: string | undefined, framing: Framing): boolean {
  return contentType !== undefined && streamTypes[framing].test(contentType);
}

/** Sound, a picture, or anything. */
export function isBytes(contentType: string): boolean {
  return /^(audio|image|video)\/|^application\/octet-stream/i.test(contentType);
}

/** Turns another framing into server-sent events before the sink sees it. */
export function framingSink(framing: Framing, sink: BodySink): BodySink {
  const framer = createFramer(framing);
  if (framer === undefined) return sink;
  let over = false;
  const give = (bytes: Buffer | undefined) => {
    if (bytes !== undefined) sink.data(bytes);
    if (framer.fault === undefined || over) return;
    over = true;
    sink.fault(new UpstreamFault('protocol', `stream: ${framer.fault}`));
  };
  return {
    data(chunk) {
      if (!over) give(framer.push(chunk));
    },
    end() {
      if (!over) give(framer.end());
      if (!over) sink.end();
    },
    fault(fault) {
      if (!over) sink.fault(fault);
    },
  };
}
