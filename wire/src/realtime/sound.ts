import { asObject, type JsonObject } from '../json.ts';

/** Bytes of sound a second, heard and spoken. */
export interface SoundFormats {
  readonly heard: number;
  readonly spoken: number;
}

const pcm16 = 48_000;
const g711 = 8_000;

/** Until the session says otherwise. */
export const usualSound: SoundFormats = { heard: pcm16, spoken: pcm16 };

/** Of a `session`, in its present spelling or the older one. */
export function soundFormats(session: JsonObject): SoundFormats {
  const audio = asObject(session.audio);
  return {
    heard: bytesPerSecond(asObject(audio?.input)?.format ?? session.input_audio_format),
    spoken: bytesPerSecond(asObject(audio?.output)?.format ?? session.output_audio_format),
  };
}

function bytesPerSecond(format: unknown): number {
  const name = typeof format === 'string' ? format : asObject(format)?.type;
  if (typeof name === 'string' && /g711|pcmu|pcma/.test(name)) return g711;
  const rate = asObject(format)?.rate;
  return typeof rate === 'number' && rate >= 4_000 && rate <= 192_000 ? rate * 2 : pcm16;
}
