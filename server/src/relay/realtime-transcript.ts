import type { realtime } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { Call } from './call.ts';
import { priceBeside } from './choose-routes.ts';
import { tokensOfSeconds } from './families/size.ts';
import { plainUsage } from './usage.ts';

const bytesPerToken = 4;

/** The upstream's figures, in tokens or by the length of the sound; of one that tells nothing, the text it wrote. */
export function usageOfTranscript({ usage, seconds, textBytes }: realtime.Transcribed): Usage {
  if (usage !== undefined) return { ...usage, source: 'upstream' };
  if (seconds !== undefined) return plainUsage(tokensOfSeconds(seconds), 0, 'upstream');
  return plainUsage(0, Math.ceil(textBytes / bytesPerToken), 'estimated');
}

/** The call as that of the model which wrote down, when it has a price of its own; else the session's price holds. */
export function asTranscriber(call: Call, transcriber: string | undefined): Call {
  if (transcriber === undefined) return call;
  const price = priceBeside(call.snapshot, call.key, transcriber, call.group);
  return price === undefined ? call : { ...call, model: transcriber, price };
}
