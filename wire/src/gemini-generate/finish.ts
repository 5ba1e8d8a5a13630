import type { Finish } from '../chat/response.ts';
import { entryOf } from '../json.ts';

/** Why an answer ended. What is neither a stop nor a length is no answer that anybody should take for done (contract 6.13). */
const reasons: Readonly<Record<string, Finish['reason']>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  FINISH_REASON_UNSPECIFIED: 'other',
  OTHER: 'other',
  MALFORMED_FUNCTION_CALL: 'content-filter',
  MALFORMED_RESPONSE: 'content-filter',
  UNEXPECTED_TOOL_CALL: 'content-filter',
  TOO_MANY_TOOL_CALLS: 'content-filter',
  MISSING_THOUGHT_SIGNATURE: 'content-filter',
  NO_IMAGE: 'content-filter',
  IMAGE_OTHER: 'content-filter',
};

const words: Readonly<Record<Finish['reason'], string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
};

/** `called` = the answer holds tool calls, which have no reason of their own in this dialect. */
export function readFinish(raw: string, called: boolean): Finish {
  const reason = entryOf(reasons, raw.toUpperCase()) ?? 'content-filter';
  return { reason: called && reason === 'stop' ? 'tool-calls' : reason, raw };
}

/** The dialect's word: the upstream's own where it is one of the dialect and means the same. */
export function finishWord({ reason, raw }: Finish): string {
  return entryOf(reasons, raw) === reason ? raw : words[reason];
}
