import type { Decoded } from '../chat/dialect.ts';
import {
  type ChatRequest,
  type Effort,
  efforts,
  type Modality,
  type OutputFormat,
  type Reasoning,
  type Tool,
} from '../chat/request.ts';
import { asObject, asObjects, asText, defined, type JsonObject, numberAt } from '../json.ts';
import { routingFields } from '../splice.ts';
import { dialectName, readCache } from './content.ts';
import { decodeMessages } from './decode-messages.ts';
import { ownExtra } from './extra.ts';

/** Top-level fields that `decodeRequest` has understood; what is not here is kept as it is for this dialect. */
const known: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'functions',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'n',
  'logprobs',
  'top_logprobs',
  'stream',
  'stream_options',
  'user',
  'metadata',
  'service_tier',
  'prompt_cache_key',
  ...routingFields,
]);

/** Reads a parsed request. `reason` is a text for the caller. Never throws. */
export function decodeRequest(body: JsonObject): Decoded {
  const model = asText(body.model);
  if (model === '') return { ok: false, reason: 'model is required' };
  if (!Array.isArray(body.messages) || body.messages.length === 0) return { ok: false, reason: 'field messages is required' };
  const conversation = decodeMessages(body.messages);
  if (!conversation.ok) return conversation;
  const wrong = numberFields.find((field) => !isAbsent(body[field]) && typeof body[field] !== 'number');
  if (wrong !== undefined) return { ok: false, reason: `${wrong} is invalid` };
  const { system, messages } = conversation;
  const understood = new Set(known);
  const request: ChatRequest = {
    model,
    system,
    messages,
    tools: decodeTools(body),
    ...(isOlder(body) ? { singleCalls: true } : {}),
    ...decodeSampling(body),
    ...decodeToolChoice(body, understood),
    ...decodeReasoning(body, understood),
    ...decodeOutput(body, understood),
    stream: body.stream === true,
    wantsUsage: asObject(body.stream_options)?.include_usage === true,
    ...decodeLabels(body, understood),
  };
  const fields = Object.fromEntries(Object.entries(body).filter(([key, value]) => !understood.has(key) && says(key, value)));
  // Without a value: it only says that the vendor's own marks may go to the vendor's other dialect.
  if (hasOwnMarks(body.messages)) fields.prompt_cache_breakpoint = undefined;
  if (Object.keys(fields).length === 0) return { ok: true, request };
  return { ok: true, request: { ...request, extra: ownExtra(fields) } };
}

function hasOwnMarks(messages: readonly unknown[]): boolean {
  return asObjects(messages).some(({ content }) =>
    asObjects(content).some(({ prompt_cache_breakpoint: mark }) => asObject(mark)),
  );
}

const numberFields = [
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'n',
  'top_logprobs',
];

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A value that means the same as its absence says nothing. A search without a wish is one. */
function says(key: string, value: unknown): boolean {
  if (isAbsent(value) || (key === 'store' && value === false)) return false;
  return typeof value !== 'object' || key === 'web_search_options' || Object.keys(value ?? {}).length > 0;
}

function decodeSampling(body: JsonObject) {
  const caps = [numberAt(body, 'max_tokens'), numberAt(body, 'max_completion_tokens')].filter(
    (cap) => cap !== undefined && cap > 0,
  );
  const stop = typeof body.stop === 'string' ? [body.stop] : Array.isArray(body.stop) ? body.stop : [];
  const choices = numberAt(body, 'n') ?? 1;
  return defined({
    maxTokens: caps.length === 0 ? undefined : Math.max(...caps.map(Number)),
    temperature: numberAt(body, 'temperature'),
    topP: numberAt(body, 'top_p'),
    topK: numberAt(body, 'top_k'),
    stop: stop.filter((word) => typeof word === 'string'),
    seed: numberAt(body, 'seed'),
    frequencyPenalty: numberAt(body, 'frequency_penalty'),
    presencePenalty: numberAt(body, 'presence_penalty'),
    choices: Math.max(1, Math.min(128, Math.floor(choices))),
    logprobs: body.logprobs === true ? (numberAt(body, 'top_logprobs') ?? 0) : undefined,
  });
}

/** Functions as they were before there were tools. */
function isOlder({ functions, tools }: JsonObject): boolean {
  return asObjects(functions).length > 0 && asObjects(tools).length === 0;
}

function decodeTools(body: JsonObject): Tool[] {
  const functions = asObjects(body.functions).map((inner) => decodeFunction(inner, {}));
  return [...asObjects(body.tools).map(decodeTool), ...functions];
}

function decodeTool(raw: JsonObject): Tool {
  const inner = asObject(raw.function);
  if (inner !== undefined && (raw.type === 'function' || raw.type === undefined)) return decodeFunction(inner, raw);
  return { kind: 'hosted', name: asText(raw.type), dialect: dialectName, raw };
}

function decodeFunction({ name, description, parameters, strict }: JsonObject, outer: JsonObject): Tool {
  return defined({
    kind: 'function' as const,
    name: asText(name),
    description: typeof description === 'string' ? description : undefined,
    parameters: asObject(parameters),
    strict: typeof strict === 'boolean' ? strict : undefined,
    cache: readCache(outer),
  });
}

/** `tool_choice`, or `function_call` of older callers. Kinds without a word here stay as they are. */
function decodeToolChoice(
  body: JsonObject,
  understood: Set<string>,
): Pick<ChatRequest, 'toolChoice' | 'allowedTools' | 'parallelTools'> {
  if (asObjects(body.tools).length + asObjects(body.functions).length === 0) {
    for (const field of ['tool_choice', 'function_call']) understood.add(field);
    return {};
  }
  const parallelTools = typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined;
  const field = isAbsent(body.tool_choice) ? 'function_call' : 'tool_choice';
  const raw = body[field];
  const object = asObject(raw);
  const name = asText(asObject(object?.function)?.name) || (field === 'function_call' ? asText(object?.name) : '');
  const allowed = decodeAllowed(asObject(object?.allowed_tools));
  const toolChoice = raw === 'auto' || raw === 'none' || raw === 'required' ? raw : name === '' ? allowed?.mode : { name };
  if (toolChoice !== undefined) understood.add(field);
  return defined({ toolChoice, allowedTools: allowed?.names, parallelTools });
}

/** Some of the tools by their names; undefined = none are said, or one that has no name. */
function decodeAllowed({ mode, tools }: JsonObject = {}): { mode: 'auto' | 'required'; names: string[] } | undefined {
  const names = asObjects(tools).map((entry) => asText((asObject(entry.function) ?? asObject(entry.custom))?.name));
  if ((mode !== 'auto' && mode !== 'required') || names.includes('')) return undefined;
  return { mode, names };
}

function effortOf(value: unknown): Effort | undefined {
  return efforts.find((word) => word === value);
}

/** `reasoning_effort`, and the other spellings that upstreams of this dialect have: kept as they are beside their meaning. */
function decodeReasoning(body: JsonObject, understood: Set<string>): { reasoning?: Reasoning } {
  const fields: JsonObject = {};
  for (const field of ['reasoning', 'thinking', 'enable_thinking', 'thinking_budget', 'include_reasoning']) {
    if (!isAbsent(body[field])) fields[field] = body[field];
  }
  const object = asObject(body.reasoning) ?? {};
  const thinking = asObject(body.thinking) ?? {};
  const { reasoning_effort: said } = body;
  const plain = effortOf(said);
  const off = thinking.type === 'disabled' || body.enable_thinking === false || object.enabled === false;
  const effort = plain ?? effortOf(object.effort) ?? (off ? 'none' : undefined);
  const budget = numberAt(object, 'max_tokens') ?? numberAt(thinking, 'budget_tokens') ?? numberAt(body, 'thinking_budget');
  // Less than nothing leaves it to the model, as it does where the field comes from.
  const budgetTokens = budget !== undefined && budget < 0 ? undefined : budget;
  const show = object.exclude === true || body.include_reasoning === false ? false : undefined;
  if (plain !== undefined) understood.add('reasoning_effort');
  if (effort === undefined && Object.keys(fields).length === 0) return {};
  // An effort that has no word elsewhere is lost by its name there.
  const isUnknown = asText(object.effort) !== '' && effortOf(object.effort) === undefined;
  for (const field of Object.keys(fields)) if (field !== 'reasoning' || !isUnknown) understood.add(field);
  if (plain !== undefined && Object.keys(fields).length > 0) fields.reasoning_effort = said;
  const spelled = Object.keys(fields).length === 0 ? undefined : { dialect: dialectName, fields };
  return { reasoning: defined({ effort, budgetTokens, show, spelled }) };
}

function decodeOutput(body: JsonObject, understood: Set<string>) {
  const output = decodeFormat(asObject(body.response_format));
  if (output !== undefined || asObject(body.response_format)?.type === 'text') understood.add('response_format');
  const modalities = Array.isArray(body.modalities) ? body.modalities.filter(isModality) : undefined;
  if (modalities !== undefined) understood.add('modalities');
  const audio = asObject(body.audio);
  const voice = asText(audio?.voice) || asText(asObject(audio?.voice)?.id);
  if (audio !== undefined) understood.add('audio');
  const audioOut = audio === undefined ? undefined : { voice, format: asText(audio.format) };
  return defined({ output, modalities, audioOut });
}

function isModality(value: unknown): value is Modality {
  return value === 'text' || value === 'audio' || value === 'image';
}

function decodeFormat(format: JsonObject | undefined): OutputFormat | undefined {
  if (format?.type === 'json_object') return { kind: 'json' };
  const inner = asObject(format?.json_schema);
  if (format?.type !== 'json_schema' || inner === undefined) return undefined;
  return defined({
    kind: 'schema' as const,
    name: asText(inner.name),
    schema: asObject(inner.schema) ?? {},
    strict: typeof inner.strict === 'boolean' ? inner.strict : undefined,
    description: typeof inner.description === 'string' ? inner.description : undefined,
  });
}

function decodeLabels(body: JsonObject, understood: Set<string>) {
  const user = asText(body.user) || asText(body.safety_identifier);
  if (asText(body.user) === '' || body.user === body.safety_identifier) understood.add('safety_identifier');
  return defined({
    user: user === '' ? undefined : user,
    metadata: asObject(body.metadata),
    serviceTier: asText(body.service_tier) || undefined,
    cacheKey: asText(body.prompt_cache_key) || undefined,
  });
}
