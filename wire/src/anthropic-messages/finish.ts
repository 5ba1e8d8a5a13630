import type { Finish } from '../chat/response.ts';
import { asText } from '../json.ts';
import type { StopReason } from './types.ts';

const reasons: Readonly<Record<StopReason, Finish['reason']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  compaction: 'pause',
  refusal: 'refusal',
};
const words: Readonly<Record<Finish['reason'], StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
};

/** Why an answer ended; undefined when it does not say. */
export function readFinish(stopReason: unknown, stopSequence: unknown): Finish | undefined {
  const raw = asText(stopReason);
  if (raw === '') return undefined;
  const reason = Object.hasOwn(reasons, raw) ? reasons[raw as StopReason] : 'other';
  return typeof stopSequence === 'string' ? { reason, raw, stopSequence } : { reason, raw };
}

/** `stop_reason` and `stop_sequence`; without a reason an answer that calls tools ended for them. */
export function writeFinish(finish: Finish | undefined, callsTools: boolean, refuses: boolean) {
  if (finish === undefined) return { stop_reason: callsTools ? words['tool-calls'] : words.stop, stop_sequence: null };
  const { reason, raw, stopSequence } = finish;
  if (Object.hasOwn(reasons, raw) && reasons[raw as StopReason] === reason)
    return { stop_reason: raw, stop_sequence: stopSequence ?? null };
  if (reason === 'stop' && stopSequence !== undefined) return { stop_reason: 'stop_sequence', stop_sequence: stopSequence };
  return { stop_reason: reason === 'stop' && refuses ? 'refusal' : words[reason], stop_sequence: null };
}
