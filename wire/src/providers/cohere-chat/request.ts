import { withCallIds } from '../../chat/call-ids.ts';
import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import { mediaUrl } from '../../chat/media.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../../chat/parts.ts';
import { argumentsSchema, type ChatRequest, type Effort, type Message, type Tool } from '../../chat/request.ts';
import { defined, type JsonObject } from '../../json.ts';
import { lostTurn, withResultsTogether } from '../../openai-chat/encode-messages.ts';
import { lostWord, unspoken } from '../losses.ts';
import { partsText, plainText, systemText } from '../turns.ts';
import { dialect } from './types.ts';

const spoken = [
  ...['max_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'seed', 'frequency_penalty', 'presence_penalty', 'reasoning'],
  ...['json', 'json_schema', 'tools', 'tool_choice', 'strict'],
];
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

export function encodeRequest(request: ChatRequest, { model }: RequestContext): Encoded {
  const losses = unspoken(request, spoken);
  const system = systemText(request);
  const { maxTokens, temperature, topP, topK, stop, seed } = request;
  const settings = {
    max_tokens: maxTokens,
    temperature,
    p: topP,
    k: topK,
    stop_sequences: stop.length === 0 ? undefined : stop,
    seed,
    ...penalty(request, losses),
    response_format: format(request),
    thinking: thinking(request, model, losses),
  };
  const body: JsonObject = {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...withResultsTogether(withCallIds(request.messages)).flatMap((message) => encodeMessage(message, losses)),
    ],
    stream: request.stream,
    ...defined(settings),
    ...encodeTools(request),
  };
  return { body, losses: [...losses] };
}

/** The upstream refuses both at once, and what is not between 0 and 1. */
function penalty({ frequencyPenalty = 0, presencePenalty = 0 }: ChatRequest, losses: Set<string>): JsonObject {
  const asked = { frequency_penalty: frequencyPenalty, presence_penalty: presencePenalty };
  const name = frequencyPenalty > 0 ? 'frequency_penalty' : 'presence_penalty';
  const said = Math.min(1, Math.max(0, asked[name]));
  for (const [word, value] of Object.entries(asked)) if (value !== (word === name ? said : 0)) losses.add(word);
  return said === 0 ? {} : { [name]: said };
}

function format({ output }: ChatRequest): JsonObject | undefined {
  if (output === undefined) return undefined;
  return { type: 'json_object', ...(output.kind === 'schema' ? { json_schema: output.schema } : {}) };
}

/** Only models that reason take a budget. */
function thinking({ reasoning }: ChatRequest, model: string, losses: Set<string>): JsonObject | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgets[effort]);
  if (budget === undefined) return undefined;
  if (model.includes('reasoning')) return budget === 0 ? { type: 'disabled' } : { type: 'enabled', token_budget: budget };
  if (budget > 0) losses.add('reasoning');
  return undefined;
}

function encodeTools({ tools, toolChoice }: ChatRequest): JsonObject {
  const functions = tools.filter((tool) => tool.kind === 'function');
  if (functions.length === 0) return {};
  // One function alone, and it must be called: that is what a choice by name means.
  const offered = typeof toolChoice === 'object' ? functions.filter(({ name }) => name === toolChoice.name) : functions;
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  return {
    tools: (offered.length === 0 ? functions : offered).map(encodeTool),
    ...(functions.some(({ strict }) => strict === true) ? { strict_tools: true } : {}),
    ...(isForced ? { tool_choice: 'REQUIRED' } : toolChoice === 'none' ? { tool_choice: 'NONE' } : {}),
  };
}

function encodeTool({ name, description, parameters }: Extract<Tool, { kind: 'function' }>): JsonObject {
  const about = description === undefined ? {} : { description };
  return { type: 'function', function: { name, ...about, parameters: argumentsSchema(parameters) } };
}

function encodeMessage({ role, parts }: Message, losses: Set<string>): JsonObject[] {
  const results = parts.filter((part): part is ToolResultPart => part.kind === 'tool-result');
  const messages: JsonObject[] = results.map(({ id, content, isError }) => {
    if (isError === true) losses.add('is_error');
    return { role: 'tool', tool_call_id: id, content: partsText(content, losses) };
  });
  const rest = parts.filter(({ kind }) => kind !== 'tool-result');
  if (rest.length === 0 && messages.length > 0) return messages;
  if (role === 'assistant') return [...messages, encodeAnswer(rest, losses)];
  const content = encodeContent(rest, losses);
  return [...messages, { role, content: content.length === 0 ? lostTurn(rest) : content }];
}

function encodeAnswer(parts: readonly Part[], losses: Set<string>): JsonObject {
  const calls = parts.filter((part): part is ToolCallPart => part.kind === 'tool-call');
  const thoughts = parts.flatMap((part) => {
    if (part.kind !== 'reasoning') return [];
    if (part.dialect === dialect) return [part.text];
    losses.add(part.signature === undefined ? 'reasoning' : 'reasoning_signature');
    return [];
  });
  const text = partsText(
    parts.filter(({ kind }) => kind !== 'tool-call' && kind !== 'reasoning'),
    losses,
  );
  const plan = calls.length > 0 && thoughts.length > 0 ? { tool_plan: thoughts.join('\n') } : {};
  const content =
    calls.length > 0 || thoughts.length === 0
      ? text || lostTurn(parts)
      : [{ type: 'thinking', thinking: thoughts.join('\n') }, ...(text === '' ? [] : [{ type: 'text', text }])];
  return {
    role: 'assistant',
    ...(text === '' && calls.length > 0 ? {} : { content }),
    ...plan,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(encodeCall) }),
  };
}

function encodeCall({ id, name, arguments: text }: ToolCallPart): JsonObject {
  return { id, type: 'function', function: { name, arguments: text } };
}

function encodeContent(parts: readonly Part[], losses: Set<string>): string | JsonObject[] {
  if (!parts.some(({ kind }) => kind === 'image')) return partsText(parts, losses);
  return parts.flatMap((part): JsonObject[] => {
    const text = plainText(part);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    const url = part.kind === 'image' ? mediaUrl(part.source) : undefined;
    if (part.kind === 'image' && url !== undefined) {
      const detail = part.detail === 'original' ? 'high' : part.detail;
      return [{ type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } }];
    }
    losses.add(lostWord(part));
    return [];
  });
}
