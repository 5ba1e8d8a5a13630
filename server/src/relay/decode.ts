import zlib from 'node:zlib';
import { UpstreamFault } from '../platform/http/client.ts';
import type { BodySink } from './attempt.ts';

const decoders: Readonly<Record<string, () => zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate | zlib.ZstdDecompress>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/**
 * Undoes the encoding of an upstream that compresses although it was asked not to. The sink behind bounds what comes
 * out. An unknown encoding reaches it as it is and is judged there.
 */
export function decodingSink(encoding: string | undefined, sink: BodySink): BodySink {
  const make = encoding === undefined ? undefined : decoders[encoding.trim().toLowerCase()];
  if (make === undefined) return sink;
  const decoder = make();
  let over = false;
  const once = (action: () => void) => {
    if (over) return;
    over = true;
    action();
  };
  decoder.on('data', (chunk: Buffer) => sink.data(chunk));
  decoder.on('end', () => once(() => sink.end()));
  decoder.on('error', () => once(() => sink.fault(new UpstreamFault('protocol', 'broken content encoding'))));
  return {
    data: (chunk) => void decoder.write(chunk),
    end: () => void decoder.end(),
    fault: (fault) => once(() => sink.fault(fault)),
  };
}
