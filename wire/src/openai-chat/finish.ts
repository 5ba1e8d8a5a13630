import type { Finish } from '../chat/response.ts';
import { entryOf } from '../json.ts';

const reasons: Readonly<Record<string, Finish['reason']>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  safety: 'content-filter',
};

/** What an answer was made of, as far as its end depends on it. */
export interface Made {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** Reads a `finish_reason`; undefined while there is none. Upstreams that say `stop` after a call are put right. */
export function decodeFinish(raw: unknown, made: Made): Finish | undefined {
  if (typeof raw !== 'string' || raw === '' || raw === 'null') return undefined;
  const reason = entryOf(reasons, raw.toLowerCase()) ?? 'other';
  if (reason !== 'stop') return { reason, raw };
  return { reason: made.calls ? 'tool-calls' : made.refusal ? 'refusal' : 'stop', raw };
}

/** Is this the `finish_reason` of an answer that had as many tokens as it may have? */
export const isLength = (raw: unknown): boolean => typeof raw === 'string' && entryOf(reasons, raw.toLowerCase()) === 'length';

/** Lost of an answer that is to be gone on with: the dialect has no word for that, and says that it is done. */
export const pauseWord = 'pause';

/** The `finish_reason` of an answer. A refusal that is told in words ends like any other answer. */
export function encodeFinish(finish: Finish | undefined, made: Made): string {
  switch (finish?.reason) {
    case 'length':
      return 'length';
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    case 'refusal':
      return made.refusal ? 'stop' : 'content_filter';
    default:
      return finish === undefined && made.calls ? 'tool_calls' : 'stop';
  }
}
