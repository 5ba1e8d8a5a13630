import { asObject, type JsonObject } from '../json.ts';

/** Bytes of sound a second, heard and spoken. */
export interface SoundFormats {
  readonly heard: number;
  readonly spoken: number;
  /** The session named a format, and none that is unknown. One that it leaves out is the usual one. */
  readonly isTold: boolean;
}

const pcm16 = 48_000;
const g711 = 8_000;

/** Until the session says otherwise. */
export const usualSound: SoundFormats = { heard: pcm16, spoken: pcm16, isTold: false };

/** Of a `session`, in its present spelling or the older one. */
export function soundFormats(session: JsonObject): SoundFormats {
  const audio = asObject(session.audio);
  const formats = [
    asObject(audio?.input)?.format ?? session.input_audio_format,
    asObject(audio?.output)?.format ?? session.output_audio_format,
  ];
  const [heard, spoken] = formats.map(bytesPerSecond);
  const named = formats.filter((format) => format !== undefined && format !== null);
  const isTold = named.length > 0 && named.every((format) => bytesPerSecond(format) !== undefined);
  return { heard: heard ?? pcm16, spoken: spoken ?? pcm16, isTold };
}

function bytesPerSecond(format: unknown): number | undefined {
  const name = typeof format === 'string' ? format : asObject(format)?.type;
  if (typeof name === 'string' && /g711|pcmu|pcma/.test(name)) return g711;
  const rate = asObject(format)?.rate;
  if (typeof rate === 'number' && rate >= 4_000 && rate <= 192_000) return rate * 2;
  return typeof name === 'string' && /pcm/.test(name) ? pcm16 : undefined;
}
