import type { AnswerContext } from '../chat/dialect.ts';
import type { Losses } from '../chat/losses.ts';
import { createLosses } from '../chat/losses.ts';
import type { Finish } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import type { TokenUsage } from '../usage.ts';
import { encodeChoice, encodeFormat, encodeTool } from './tools.ts';
import { dialectName, tiers } from './types.ts';
import { spellUsage } from './usage.ts';

/** Instructions and tools that are longer than this as JSON are not repeated in an answer, where every event of its life would hold them. */
const maxEchoChars = 64 * 1024;

/** What a response object repeats of its request; made once per answer. */
export function echoOf(request: AnswerContext['request']): JsonObject {
  const own = request?.extra?.dialect === dialectName ? request.extra.fields : {};
  const { effort, show, spelled } = request?.reasoning ?? {};
  return {
    background: false,
    ...longEcho(request),
    max_output_tokens: request?.maxTokens ?? null,
    max_tool_calls: own.max_tool_calls ?? null,
    metadata: request?.metadata ?? {},
    parallel_tool_calls: request?.parallelTools ?? true,
    previous_response_id: own.previous_response_id ?? null,
    prompt_cache_key: request?.cacheKey ?? null,
    reasoning: { effort: effort ?? null, summary: spelled?.fields.summary ?? (show === true ? 'auto' : null) },
    safety_identifier: request?.extra?.hints?.safety_identifier ?? null,
    store: false,
    temperature: request?.temperature ?? 1,
    text: { format: encodeFormat(request?.output), verbosity: own.verbosity ?? 'medium' },
    tool_choice: own.tool_choice ?? encodeChoice({ tools: [], ...request }),
    top_logprobs: request?.logprobs ?? 0,
    top_p: request?.topP ?? 1,
    truncation: own.truncation ?? 'disabled',
    user: request?.user ?? null,
  };
}

function longEcho(request: AnswerContext['request']): JsonObject {
  const system = request?.system ?? [];
  const unsaid = createLosses();
  const echo = {
    instructions: system.length === 0 ? null : system.map(({ text }) => text).join('\n\n'),
    tools: (request?.tools ?? []).map((tool) => encodeTool(tool, true, unsaid)).filter((tool) => tool !== undefined),
  };
  return JSON.stringify(echo).length > maxEchoChars ? { instructions: null, tools: [] } : echo;
}

/** How an answer ended, as this dialect says it. */
export interface Ending {
  readonly status: 'completed' | 'incomplete';
  readonly reason: string | undefined;
}

const completed: Ending = { status: 'completed', reason: undefined };

/**
 * Every end that is not an ordinary one is an incomplete answer with its reason. A refusal that was not said
 * (`isRefusalSaid`) leaves no other trace.
 */
export function endingOf(finish: Finish | undefined, isRefusalSaid: boolean, losses: Losses): Ending {
  if (finish?.stopSequence !== undefined) losses.lose('stop_sequence');
  switch (finish?.reason) {
    case 'length':
      return { status: 'incomplete', reason: 'max_output_tokens' };
    case 'refusal':
      return isRefusalSaid ? completed : { status: 'incomplete', reason: 'content_filter' };
    case 'content-filter':
      return { status: 'incomplete', reason: 'content_filter' };
    case 'pause':
      return { status: 'incomplete', reason: 'max_messages' };
    case 'other':
      return { status: 'incomplete', reason: finish.raw || 'other' };
    default:
      return completed;
  }
}

/** The state of an answer: what changes while it is made. */
export interface AnswerState {
  readonly ending: Ending | undefined;
  readonly output: readonly JsonObject[];
  readonly usage: TokenUsage | undefined;
  readonly serviceTier: string | undefined;
}

/** The response object. Without an ending it is in progress. */
export function spellAnswer(context: AnswerContext, echo: JsonObject, state: AnswerState, losses: Losses): JsonObject {
  const { ending, output, usage, serviceTier } = state;
  if (serviceTier !== undefined && !tiers.has(serviceTier)) losses.lose('service_tier');
  return {
    id: `resp_${context.id}`,
    object: 'response',
    created_at: context.created,
    status: ending?.status ?? 'in_progress',
    error: null,
    incomplete_details: ending?.reason === undefined ? null : { reason: ending.reason },
    model: context.model,
    output: ending?.status === 'incomplete' ? withCutEnd(output) : output,
    ...echo,
    ...(serviceTier !== undefined && tiers.has(serviceTier) ? { service_tier: serviceTier } : {}),
    usage: usage === undefined ? null : spellUsage(usage),
  };
}

/** The last item of an incomplete answer is where it broke off. */
function withCutEnd(output: readonly JsonObject[]): JsonObject[] {
  const last = output.at(-1);
  if (last?.type !== 'message' && last?.type !== 'function_call') return [...output];
  return [...output.slice(0, -1), { ...last, status: 'incomplete' }];
}
