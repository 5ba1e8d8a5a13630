/** Where the length of a sound is not written, a common rate: 64 kbit/s. */
const guessedBytesPerSecond = 8_000;
const headerBytes = 12;

/** Seconds of a sound file: exact for WAV, a guess from its size for anything else. Never throws. */
export function secondsOf(file: Buffer): number {
  return wavSeconds(file) ?? file.length / guessedBytesPerSecond;
}

/** RIFF: a `fmt ` chunk with the bytes per second, a `data` chunk with the sound. */
function wavSeconds(file: Buffer): number | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, headerBytes) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let at = headerBytes; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    // A recorder that was stopped leaves a size that is larger than the file.
    if (name === 'data') return bytesPerSecond > 0 ? Math.min(size, file.length - at - 8) / bytesPerSecond : undefined;
    at += 8 + size + (size % 2);
  }
  return undefined;
}
