import type { Decoded } from '../chat/dialect.ts';
import type { ForeignPart, Part, TextPart } from '../chat/parts.ts';
import type { ChatRequest, Message, OutputFormat, Tool, ToolChoice } from '../chat/request.ts';
import { asObject, asObjects, asText, defined, type JsonObject, numberAt } from '../json.ts';
import { routingFields } from '../splice.ts';
import { decodeContent, decodeText, unsaidIn } from './decode-blocks.ts';
import { extraOf, readCache, restOf } from './fields.ts';
import { decodeReasoning, isEffort } from './thinking.ts';
import { dialectName } from './types.ts';
import { unsealParts } from './unseal-parts.ts';

const understood: readonly string[] = [
  ...['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'stop_sequences', 'stream', 'temperature'],
  ...['top_p', 'top_k', 'thinking', 'output_config', 'output_format', 'metadata', 'service_tier', ...routingFields],
];
const toolMembers: readonly string[] = ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'];

/** Reads a request. `reason` is shown to the caller. Never throws. */
export function decodeRequest(body: JsonObject): Decoded {
  if (!Array.isArray(body.messages)) return { ok: false, reason: 'field messages is required' };
  const messages: Message[] = [];
  const lastUser = body.messages.findLastIndex((item) => asObject(item)?.role === 'user');
  for (const [index, item] of body.messages.entries()) {
    const message = asObject(item);
    // Stays in the list for the cache, and is no longer shown to the model.
    if (message?.role === 'system' && message.clear_at === 'next_user_message' && index < lastUser) continue;
    const decoded = decodeMessage(message);
    if (decoded === undefined) return { ok: false, reason: `messages[${index}] is invalid` };
    for (const message of decoded) messages.push(message);
  }
  const settings = decodeSettings(body);
  const inner = { ...innerFields(settings.tools), ...innerFields(messages.flatMap(({ parts }) => parts)) };
  const extra = { dialect: dialectName, fields: { ...inner, ...settings.extra?.fields } };
  return { ok: true, request: { ...settings, extra, system: decodeSystem(body.system), messages: named(messages) } };
}

/** What tools and parts carry themselves is named here as well, without a value, so that it is lost by its name elsewhere. */
function innerFields(items: readonly (Part | Tool)[]): JsonObject {
  const names = items.flatMap((item) => {
    if (item.kind === 'foreign') return unsaidIn(item);
    return 'extra' in item ? Object.keys(item.extra?.fields ?? {}) : [];
  });
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function decodeSettings(body: JsonObject): Omit<ChatRequest, 'system' | 'messages'> {
  const config = asObject(body.output_config) ?? {};
  const metadata = asObject(body.metadata) ?? {};
  const others = restOf(metadata, ['user_id']);
  const tier = asText(body.service_tier);
  const cap = numberAt(body, 'max_tokens');
  return defined({
    model: asText(body.model),
    tools: asObjects(body.tools).map(decodeTool),
    ...decodeChoice(asObject(body.tool_choice)),
    // "Only fill the cache" has no word elsewhere; one token comes closest.
    maxTokens: cap === undefined ? undefined : Math.max(1, cap),
    temperature: numberAt(body, 'temperature'),
    topP: numberAt(body, 'top_p'),
    topK: numberAt(body, 'top_k'),
    stop: Array.isArray(body.stop_sequences) ? body.stop_sequences.filter((text) => typeof text === 'string') : [],
    choices: 1,
    reasoning: decodeReasoning(asObject(body.thinking), config.effort),
    output: decodeFormat(asObject(config.format) ?? asObject(body.output_format)),
    stream: body.stream === true,
    wantsUsage: true,
    user: asText(metadata.user_id) || undefined,
    metadata: Object.keys(others).length === 0 ? undefined : others,
    serviceTier: tier === 'standard_only' ? 'default' : tier || undefined,
    // Also when empty: it says that the caller speaks this dialect.
    extra: { dialect: dialectName, fields: { ...restOf(body, understood), ...restOfConfig(config), ...unknownKinds(body) } },
  });
}

const thinkingKinds: ReadonlySet<unknown> = new Set([undefined, 'adaptive', 'enabled', 'disabled']);
const choiceKinds: ReadonlySet<unknown> = new Set([undefined, 'auto', 'any', 'tool', 'none']);

/** Choices of a kind that has no word elsewhere; those about thoughts are kept beside their meaning. */
function unknownKinds({ thinking, tool_choice, output_format }: JsonObject): JsonObject {
  const form = asObject(output_format);
  return {
    ...(form === undefined || decodeFormat(form) !== undefined ? {} : { output_format }),
    ...(thinkingKinds.has(asObject(thinking)?.type) ? {} : { thinking: undefined }),
    ...(choiceKinds.has(asObject(tool_choice)?.type) ? {} : { tool_choice }),
  };
}

/** An effort or a form without a word elsewhere stays as well, to be lost by name there. */
function restOfConfig(config: JsonObject): JsonObject {
  const isForm = decodeFormat(asObject(config.format)) !== undefined;
  const rest = extraOf(config, [...(isEffort(config.effort) ? ['effort'] : []), ...(isForm ? ['format'] : [])]);
  return rest === undefined ? {} : { output_config: rest.fields };
}

function decodeSystem(system: unknown): TextPart[] {
  if (typeof system === 'string') return system === '' ? [] : [{ kind: 'text', text: system }];
  return asObjects(system).map(decodeText);
}

/** One message; several when instructions stand in its midst. Undefined when it is none. */
function decodeMessage(message: JsonObject | undefined): Message[] | undefined {
  if (message === undefined) return undefined;
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return undefined;
  const members = role === 'system' ? ownMembers(message) : [];
  if (typeof content !== 'string' && !Array.isArray(content) && members.length === 0) return undefined;
  const parts = [...unsealParts(decodeContent(content)), ...members];
  if (!parts.some(isInstruction)) return [{ role, parts }];
  const messages: Message[] = [];
  let run: Part[] = [];
  for (const part of parts) {
    if (!isInstruction(part)) {
      run.push(part);
      continue;
    }
    if (run.length > 0) messages.push({ role, parts: run });
    run = [];
    messages.push({ role: 'system', parts: decodeContent(part.raw.content) });
  }
  return run.length > 0 ? [...messages, { role, parts: run }] : messages;
}

/** What is said of an instruction beside its content: settings from there on. */
function ownMembers(message: JsonObject): ForeignPart[] {
  const members = Object.entries(restOf(message, ['role', 'content', 'clear_at']));
  return members.map(([name, value]) => ({ kind: 'foreign', dialect: dialectName, name, raw: { [name]: value } }));
}

function isInstruction(part: Part): part is Extract<Part, { kind: 'foreign' }> {
  return part.kind === 'foreign' && part.name === 'mid_conv_system';
}

/** Results get the names of their functions, which other dialects need. */
function named(messages: readonly Message[]): Message[] {
  const names = new Map<string, string>();
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (part.kind === 'tool-call') names.set(part.id, part.name);
      return part.kind === 'tool-result' ? { ...part, name: names.get(part.id) ?? '' } : part;
    }),
  }));
}

/** An entry of `tools`: functions as such, everything else as hosted. */
export function decodeTool(tool: JsonObject): Tool {
  const type = asText(tool.type);
  const name = asText(tool.name);
  if (type !== '' && type !== 'custom') return { kind: 'hosted', name: name || type, dialect: dialectName, raw: tool };
  return defined({
    kind: 'function',
    name,
    description: typeof tool.description === 'string' ? tool.description : undefined,
    parameters: asObject(tool.input_schema),
    strict: typeof tool.strict === 'boolean' ? tool.strict : undefined,
    cache: readCache(tool),
    extra: extraOf(tool, toolMembers),
  });
}

function decodeChoice(choice: JsonObject | undefined): { toolChoice?: ToolChoice; parallelTools?: boolean } {
  if (choice === undefined) return {};
  const parallel = choice.disable_parallel_tool_use === true ? { parallelTools: false } : {};
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { toolChoice: choice.type, ...parallel };
    case 'any':
      return { toolChoice: 'required', ...parallel };
    case 'tool':
      return { toolChoice: { name: asText(choice.name) }, ...parallel };
    default:
      return parallel;
  }
}

/** The dialect has no name for a format; other ones must have one. */
function decodeFormat(format: JsonObject | undefined): OutputFormat | undefined {
  const schema = asObject(format?.schema);
  if (format?.type !== 'json_schema' || schema === undefined) return undefined;
  return { kind: 'schema', name: 'output', schema, strict: true };
}
