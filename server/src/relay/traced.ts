import type { Usage } from '../billing/index.ts';
import type { CallTrace } from '../platform/trace.ts';
import type { AttemptRecord } from '../routing/index.ts';
import type { Call } from './call.ts';
import type { OpenAttempt } from './open-attempt.ts';

/** One exchange with an upstream, and below it the time from the head of its answer to its end. Keys are numbers, nothing that was said is told. */
export function traceAttempt(trace: CallTrace, { startedMs, outgoing }: OpenAttempt, record: AttemptRecord): void {
  const { channelId, keyIndex, status, error, ms, headMs } = record;
  const attributes = {
    'tollgate.channel': channelId,
    'tollgate.key': keyIndex,
    'tollgate.upstream_model': outgoing.upstreamModel ?? '',
    'http.response.status_code': status,
  };
  trace.span({ name: 'attempt', startMs: startedMs, endMs: startedMs + ms, attributes, error });
  if (headMs < 0 || error !== '') return;
  trace.span({ name: 'respond', startMs: startedMs + headMs, endMs: startedMs + ms, attributes: {}, error: '' });
}

export function traceSettle(trace: CallTrace, startMs: number, endMs: number, call: Call, usage: Usage): void {
  const attributes = {
    'tollgate.model': call.model,
    'tollgate.user': call.key.user.id,
    'tollgate.prompt_tokens': usage.prompt,
    'tollgate.completion_tokens': usage.completion,
  };
  trace.span({ name: 'settle', startMs, endMs, attributes, error: '' });
}
