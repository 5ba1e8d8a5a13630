import type { realtime } from '@tollgate/wire';
import { type PriceSnapshot, type Usage, unitsOfSeconds } from '../billing/index.ts';
import { bytesPerToken } from './prompt-size.ts';
import { plainUsage } from './usage.ts';

/** What went to and fro in one turn, in bytes. */
export interface Metered {
  /** Of sound, each piece at the rate that held when it came. */
  seconds: number;
  heardText: number;
  heardSound: number;
  saidText: number;
  saidSound: number;
}

export function nothingMetered(): Metered {
  return { seconds: 0, heardText: 0, heardSound: 0, saidText: 0, saidSound: 0 };
}

/** The model has begun to answer. */
export function wasSaid({ saidText, saidSound }: Metered): boolean {
  return saidText + saidSound > 0;
}

/** Of sound, as the vendor publishes it: a token for 100 ms heard and for 50 ms spoken (decision 0024). */
const heardTokensPerMinute = 600;
const saidTokensPerMinute = 1_200;

/** What is charged for a turn whose upstream did not say: nothing of what was said before is counted once more. */
export function estimateTurn(metered: Metered, sound: realtime.SoundFormats): Usage {
  const audioPrompt = Math.round((metered.heardSound / sound.heard / 60) * heardTokensPerMinute);
  const audioCompletion = Math.round((metered.saidSound / sound.spoken / 60) * saidTokensPerMinute);
  const prompt = Math.ceil(metered.heardText / bytesPerToken) + audioPrompt;
  const completion = Math.ceil(metered.saidText / bytesPerToken) + audioCompletion;
  return { ...plainUsage(prompt, completion, 'estimated'), audioPrompt, audioCompletion };
}

/**
 * The usage of a turn with its units at a price per second: the seconds of sound in and out; of a turn without sound, or in a
 * format that is not known, those from its first event to its last.
 */
export function timed(
  usage: Usage,
  price: PriceSnapshot,
  metered: Metered,
  { isTold }: realtime.SoundFormats,
  lastedMs: number,
): Usage {
  if (price.perSecond !== true) return usage;
  const seconds = isTold && metered.seconds > 0 ? metered.seconds : lastedMs / 1000;
  return { ...usage, unitsNano: unitsOfSeconds(seconds) };
}
