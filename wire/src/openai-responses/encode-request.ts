import { customChoice, customToResponses } from '../chat/custom-tools.ts';
import type { Encoded, RequestContext } from '../chat/dialect.ts';
import { nameJson } from '../chat/json-mode.ts';
import { createLosses, type Losses } from '../chat/losses.ts';
import type { Extra } from '../chat/parts.ts';
import { type ChatRequest, effortFor, type Reasoning } from '../chat/request.ts';
import { withFittingStrict } from '../chat/strict-schemas.ts';
import { asObject, type JsonObject } from '../json.ts';
import { encodeConversation } from './encode-items.ts';
import { encodeChoice, encodeFormat, encodeTool } from './tools.ts';
import { dialectName, tiers } from './types.ts';

/** Members that the chat dialect of the same vendor spells and means in the same way. */
const sharedFields: ReadonlySet<string> = new Set([
  'store',
  'verbosity',
  'moderation',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
]);

const logprobsInclude = 'message.output_text.logprobs';

/** Spells a request. Requests of other dialects are sent with `store: false`, as they do not ask for more. */
export function encodeRequest(asked: ChatRequest, { model }: RequestContext): Encoded {
  const losses = createLosses();
  const request = customToResponses(withFittingStrict(asked, losses.lose));
  const isOwn = request.extra?.dialect === dialectName;
  const takesMarks = isOwn || 'prompt_cache_breakpoint' in (request.extra?.hints ?? {});
  noteUnspoken(request, losses);
  const fields = { ...(isOwn ? {} : { store: false }), ...restoredFields(request, losses) };
  const { verbosity, text, ...others } = fields as JsonObject;
  const body: JsonObject = {
    model,
    ...encodeConversation(nameJson(request), { losses, isOwn, takesMarks }),
    ...encodeTools(request, isOwn, losses),
    ...encodeSettings(request, isOwn, losses),
    ...encodePersons(request, isOwn, losses),
    ...encodeText(request, verbosity, asObject(text)),
    ...others,
    ...encodeInclude(request, isOwn),
    ...(request.stream ? { stream: true } : {}),
  };
  return { body, losses: losses.list() };
}

function noteUnspoken(request: ChatRequest, { lose }: Losses): void {
  if (request.topK !== undefined) lose('top_k');
  if (request.stop.length > 0) lose('stop');
  if (request.seed !== undefined) lose('seed');
  if ((request.frequencyPenalty ?? 0) !== 0) lose('frequency_penalty');
  if ((request.presencePenalty ?? 0) !== 0) lose('presence_penalty');
  if (request.choices > 1) lose('choices');
  if (request.modalities?.some((modality) => modality !== 'text') === true) lose('modalities');
  if (request.audioOut !== undefined) lose('audio');
}

function isShared({ dialect }: Extra, key: string): boolean {
  return dialect === 'openai-chat' && sharedFields.has(key);
}

function restoredFields({ extra }: ChatRequest, losses: Losses): JsonObject {
  if (extra === undefined) return {};
  if (extra.dialect === dialectName) return { ...extra.fields, ...extra.hints };
  const hints = Object.entries(extra.hints ?? {});
  const fields: JsonObject = Object.fromEntries(hints.filter(([key]) => isShared(extra, key)));
  for (const [key, value] of Object.entries(extra.fields)) {
    const choice = key === 'tool_choice' ? customChoice(extra, dialectName) : undefined;
    if (choice !== undefined) fields[key] = choice;
    else if (isShared(extra, key)) fields[key] = value;
    else losses.lose(key);
  }
  return fields;
}

function encodeTools(request: ChatRequest, isOwn: boolean, losses: Losses): JsonObject {
  const tools = request.tools.map((tool) => encodeTool(tool, isOwn, losses)).filter((tool) => tool !== undefined);
  if (tools.length === 0 && !isOwn) return {};
  const { toolChoice, parallelTools } = request;
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { tool_choice: encodeChoice({ ...request, tools: request.tools }) }),
    ...(parallelTools === undefined ? {} : { parallel_tool_calls: parallelTools }),
  };
}

/** Below it a request is refused, while other dialects' callers probe with 1. */
const minTokens = 16;

function encodeSettings(request: ChatRequest, isOwn: boolean, losses: Losses): JsonObject {
  const { maxTokens, temperature, topP, logprobs = 0, reasoning } = request;
  const isTooSmall = !isOwn && maxTokens !== undefined && maxTokens < minTokens;
  if (isTooSmall) losses.lose('max_tokens');
  return {
    ...(maxTokens === undefined ? {} : { max_output_tokens: isTooSmall ? minTokens : maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(logprobs === 0 ? {} : { top_logprobs: logprobs }),
    ...(reasoning === undefined ? {} : encodeReasoning(reasoning)),
  };
}

/**
 * A budget is told as the nearest effort, as in every dialect that knows efforts alone. A summary is asked for only by who says
 * so: organizations that are not verified are refused the whole call for it.
 */
function encodeReasoning({ effort, budgetTokens, show, spelled }: Reasoning): JsonObject {
  if (spelled?.dialect === dialectName) return { reasoning: spelled.fields };
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortFor(budgetTokens));
  const reasoning = { ...(wanted === undefined ? {} : { effort: wanted }), ...(show === true ? { summary: 'auto' } : {}) };
  return Object.keys(reasoning).length === 0 ? {} : { reasoning };
}

/** A longer one is refused. */
const maxUserChars = 64;

function encodePersons(request: ChatRequest, isOwn: boolean, { lose }: Losses): JsonObject {
  const { user, metadata, serviceTier, cacheKey, extra } = request;
  const tier = serviceTier === 'standard_only' ? 'default' : serviceTier;
  const isTier = tier !== undefined && (isOwn || tiers.has(tier));
  if (tier !== undefined && !isTier) lose('service_tier');
  const isTooLong = !isOwn && user !== undefined && user.length > maxUserChars;
  if (isTooLong) lose('user');
  const isUnsaid = user === undefined || isTooLong || user === extra?.hints?.safety_identifier;
  return {
    ...(isUnsaid ? {} : { user }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(isTier ? { service_tier: tier } : {}),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
}

function encodeText({ output }: ChatRequest, verbosity: unknown, rest: JsonObject = {}): JsonObject {
  const text = {
    ...rest,
    ...(output === undefined ? {} : { format: encodeFormat(output) }),
    ...(verbosity === undefined ? {} : { verbosity }),
  };
  return Object.keys(text).length === 0 ? {} : { text };
}

/** Nothing is stored for another dialect's caller, so what its model thought must come along to be used again. */
function encodeInclude({ logprobs, reasoning, extra }: ChatRequest, isOwn: boolean): JsonObject {
  const own = isOwn && Array.isArray(extra?.hints?.include) ? extra.hints.include : [];
  const thinks = !isOwn && reasoning !== undefined && reasoning.effort !== 'none' && reasoning.budgetTokens !== 0;
  const include = [
    ...own,
    ...(logprobs === undefined ? [] : [logprobsInclude]),
    ...(thinks ? ['reasoning.encrypted_content'] : []),
  ];
  return include.length === 0 ? {} : { include };
}
