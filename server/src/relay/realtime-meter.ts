import type { realtime } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import { bytesPerToken, plainUsage } from './usage.ts';

/** What went to and fro in one turn, in bytes. */
export interface Metered {
  heardText: number;
  heardSound: number;
  saidText: number;
  saidSound: number;
}

export function nothingMetered(): Metered {
  return { heardText: 0, heardSound: 0, saidText: 0, saidSound: 0 };
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
