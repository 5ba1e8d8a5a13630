/** Where the length of a sound is not written, a common rate: 64 kbit/s. */
const guessedBytesPerSecond = 8_000;
/** Sound as it is recorded: at most 192 kHz in stereo of 16 bits. A header that says more is not believed. */
const mostBytesPerSecond = 768_000;
/** No speech is kept in fewer. */
export const fewestBytesPerSecond = 250;
const headerBytes = 12;
const fewestFormatBytes = 16;
const maxChunks = 1_000;
/** A stream was written whose end was not known yet. */
const openSizes: ReadonlySet<number> = new Set([0, 0xffffffff]);

/** Seconds of a sound file: exact for WAV, a guess from its size for anything else. Never throws. */
export function secondsOf(file: Buffer): number {
  const wav = wavSound(file);
  if (wav === undefined) return file.length / guessedBytesPerSecond;
  const { sound, bytesPerSecond } = wav;
  return Math.max(sound / bytesPerSecond, file.length / mostBytesPerSecond);
}

interface WavSound {
  /** Bytes of sound. */
  readonly sound: number;
  readonly bytesPerSecond: number;
}

/** RIFF: one `fmt ` chunk that says how sound is coded, then `data` chunks that hold it. */
function wavSound(file: Buffer): WavSound | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, headerBytes) !== 'WAVE') return undefined;
  let bytesPerSecond: number | undefined;
  let sound: number | undefined;
  let chunks = 0;
  for (let at = headerBytes; at + 8 <= file.length; ) {
    chunks += 1;
    if (chunks > maxChunks) return undefined;
    const name = file.toString('latin1', at, at + 4);
    const written = file.readUInt32LE(at + 4);
    const rest = file.length - at - 8;
    // A recorder that was stopped leaves a size that is larger than the file.
    const size = name === 'data' && openSizes.has(written) ? rest : Math.min(written, rest);
    if (name === 'fmt ') {
      if (bytesPerSecond !== undefined) return undefined;
      bytesPerSecond = rateOf(file.subarray(at + 8, at + 8 + size));
    }
    if (name === 'data') sound = (sound ?? 0) + size;
    at += 8 + size + (size % 2);
  }
  if (sound === undefined || bytesPerSecond === undefined || bytesPerSecond < fewestBytesPerSecond) return undefined;
  return { sound, bytesPerSecond };
}

/** Samples of a fixed width: integers, floats, and the two codes of telephones. */
const plainCodes: ReadonlySet<number> = new Set([1, 3, 6, 7]);
const extensible = 0xfffe;

/**
 * Bytes per second, from what a decoder goes by: it needs neither the file's own figure nor the size of its blocks. Where
 * blocks are compressed that figure is all there is, and believed up to the rate of any compressed file.
 */
function rateOf(format: Buffer): number {
  if (format.length < fewestFormatBytes) return 0;
  const code = format.readUInt16LE(0);
  const coded = code === extensible && format.length >= 26 ? format.readUInt16LE(24) : code;
  const [channels, samplesPerSecond, bits] = [format.readUInt16LE(2), format.readUInt32LE(4), format.readUInt16LE(14)];
  if (plainCodes.has(coded)) return samplesPerSecond * channels * Math.ceil(bits / 8);
  return Math.min(format.readUInt32LE(8), guessedBytesPerSecond);
}
