import type { realtime } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import type { Call } from './call.ts';
import { priceBeside } from './choose-routes.ts';
import { bytesPerToken } from './prompt-size.ts';
import { saneTurn } from './sane-usage.ts';
import { plainUsage, usageTold } from './usage.ts';

/** What a session has heard. */
export interface HeardSound {
  /** Bytes, from its beginning. */
  readonly bytes: number;
  /** Seconds since the last transcript. */
  readonly seconds: number;
}

/**
 * The upstream's figures, in tokens or by the length of the sound, as far as it is believed; of one that tells nothing, the
 * text it wrote. At a price per second those it told, else those that were heard. `call`: priced for who wrote it down.
 */
export function usageOfTranscript(
  { usage, seconds, textBytes }: realtime.Transcribed,
  call: Pick<Call, 'price' | 'snapshot'>,
  heard: HeardSound,
): Usage {
  const { price } = call;
  const isTold = seconds !== undefined || (usage !== undefined && price.perSecond !== true);
  const source = isTold ? 'upstream' : 'estimated';
  const guess = plainUsage(0, seconds === undefined ? Math.ceil(textBytes / bytesPerToken) : 0, source);
  const believed = saneTurn({ ...(usage ?? guess), seconds }, call, heard.bytes);
  return usageTold(price, heard.seconds > 0 ? { seconds: heard.seconds } : undefined, { ...believed, source });
}

/** The call as that of the model which wrote down, when it has a price of its own; else the session's price holds. */
export function asTranscriber(call: Call, transcriber: string | undefined): Call {
  if (transcriber === undefined) return call;
  const price = priceBeside(call.snapshot, call.key, transcriber, call.group);
  return price === undefined ? call : { ...call, model: transcriber, price };
}
