import { choosableName, customChoice, customToChat, isCustom } from '../chat/custom-tools.ts';
import type { Encoded, Extension, RequestContext } from '../chat/dialect.ts';
import { nameJson } from '../chat/json-mode.ts';
import { createLosses } from '../chat/losses.ts';
import {
  argumentsSchema,
  type ChatRequest,
  effortFor,
  type OutputFormat,
  type Reasoning,
  type Tool,
  type ToolChoice,
} from '../chat/request.ts';
import { withFittingStrict } from '../chat/strict-schemas.ts';
import type { JsonObject } from '../json.ts';
import { dialectName, encodeCache, type Target } from './content.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeExtra } from './extra.ts';

/** Spells a request for POST /v1/chat/completions. Never throws on what a decoder made. */
export function encodeRequest(asked: ChatRequest, { model, extensions = [] }: RequestContext): Encoded {
  const losses = createLosses();
  const target: Target = { can: (extension: Extension) => extensions.includes(extension), lose: losses.lose };
  const fitting = withFittingStrict(asked, target.lose);
  const request = target.can('custom_tools') ? customToChat(fitting, target.lose) : fitting;
  const body: JsonObject = {
    ...encodeOwn(request, target),
    model,
    messages: encodeMessages(nameJson(request), target),
    ...encodeTools(request, target),
    ...encodeSampling(request, target),
    ...encodeReasoning(request.reasoning),
    ...(request.output === undefined ? {} : { response_format: encodeFormat(request.output) }),
    ...encodeModalities(request),
    ...encodeLabels(request, target),
    ...(request.stream ? { stream: true } : {}),
    ...(request.stream && request.wantsUsage ? { stream_options: { include_usage: true } } : {}),
  };
  return { body, losses: losses.list() };
}

function encodeOwn({ extra }: ChatRequest, target: Target): JsonObject {
  const choice = target.can('custom_tools') ? customChoice(extra, dialectName) : undefined;
  if (choice === undefined || extra === undefined) return encodeExtra(extra, target.lose);
  const { tool_choice: _said, ...fields } = extra.fields;
  return { ...encodeExtra({ ...extra, fields }, target.lose), tool_choice: choice };
}

function encodeSampling(request: ChatRequest, target: Target): JsonObject {
  const { maxTokens, temperature, topP, topK, seed, frequencyPenalty, presencePenalty, choices, logprobs } = request;
  if (topK !== undefined && !target.can('top_k')) target.lose('top_k');
  return {
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined || !target.can('top_k') ? {} : { top_k: topK }),
    ...encodeStop(request, target),
    ...(seed === undefined ? {} : { seed }),
    ...(frequencyPenalty === undefined ? {} : { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
    ...(choices === 1 ? {} : { n: choices }),
    ...(logprobs === undefined ? {} : { logprobs: true, ...(logprobs === 0 ? {} : { top_logprobs: logprobs }) }),
  };
}

/** More are refused, while other dialects' callers may have as many as they like. */
const maxStops = 4;

function encodeStop({ stop, extra }: ChatRequest, target: Target): JsonObject {
  const kept = extra?.dialect === dialectName ? stop : stop.slice(0, maxStops);
  if (kept.length < stop.length) target.lose('stop');
  if (kept.length === 0) return {};
  return { stop: kept.length === 1 ? kept[0] : kept };
}

function encodeTools(request: ChatRequest, target: Target): JsonObject {
  const { tools, toolChoice, allowedTools, parallelTools, singleCalls } = request;
  const spelled = tools.map((tool) => encodeTool(tool, target)).filter((tool) => tool !== undefined);
  if (spelled.length === 0) return {};
  if (singleCalls === true) {
    const choice = typeof toolChoice === 'object' ? { name: toolChoice.name } : toolChoice;
    return { functions: spelled.map((tool) => tool.function), ...(choice === undefined ? {} : { function_call: choice }) };
  }
  return {
    tools: spelled,
    ...(toolChoice === undefined ? {} : { tool_choice: encodeChoice(toolChoice, tools, allowedTools) }),
    ...(parallelTools === undefined ? {} : { parallel_tool_calls: parallelTools }),
  };
}

function encodeTool(tool: Tool, target: Target): JsonObject | undefined {
  if (tool.kind === 'hosted') {
    if (tool.dialect === dialectName) return tool.raw;
    target.lose(`hosted_tool:${tool.name}`);
    return undefined;
  }
  const { name, description, parameters, strict, cache, extra } = tool;
  const inner = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters: argumentsSchema(parameters) }),
    ...(strict === undefined ? {} : { strict }),
  };
  return { type: 'function', function: inner, ...encodeCache(cache, target), ...encodeExtra(extra, target.lose) };
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[], allowed?: readonly string[]): string | JsonObject {
  if (typeof choice !== 'string') return { type: 'function', function: { name: choice.name } };
  if (allowed === undefined) return choice;
  const custom = new Set(tools.filter(isCustom).map(choosableName));
  const entries = allowed.map((name) =>
    custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } },
  );
  return { type: 'allowed_tools', allowed_tools: { mode: choice, tools: entries } };
}

/** The caller's own spelling where it was this dialect; else an effort, made from the budget when only that is known. */
function encodeReasoning(reasoning: Reasoning | undefined): JsonObject {
  if (reasoning === undefined) return {};
  const { effort, budgetTokens, spelled } = reasoning;
  if (spelled?.dialect === dialectName) return spelled.fields;
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortFor(budgetTokens));
  return wanted === undefined ? {} : { reasoning_effort: wanted };
}

function encodeFormat(output: OutputFormat): JsonObject {
  if (output.kind === 'json') return { type: 'json_object' };
  const { name, schema, strict, description } = output;
  const inner = {
    name,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(strict === undefined ? {} : { strict }),
  };
  return { type: 'json_schema', json_schema: inner };
}

function encodeModalities({ modalities, audioOut }: ChatRequest): JsonObject {
  return { ...(modalities === undefined ? {} : { modalities }), ...(audioOut === undefined ? {} : { audio: audioOut }) };
}

/** A longer one is refused, while that of Claude's own client has 150 characters. */
const maxUserChars = 64;

function encodeLabels({ user, metadata, serviceTier, cacheKey, extra }: ChatRequest, target: Target): JsonObject {
  const isTooLong = user !== undefined && user.length > maxUserChars && extra?.dialect !== dialectName;
  if (isTooLong) target.lose('user');
  // Refused where the answer is not stored, as nothing is for another dialect's caller.
  const isLabelled = metadata !== undefined && (extra === undefined || extra.dialect === dialectName);
  if (!isLabelled && Object.keys(metadata ?? {}).length > 0) target.lose('metadata');
  return {
    ...(user === undefined || isTooLong ? {} : { user }),
    ...(isLabelled ? { metadata } : {}),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier === 'standard_only' ? 'default' : serviceTier }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
}
