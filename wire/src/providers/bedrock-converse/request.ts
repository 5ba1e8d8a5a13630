import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import { argumentsSchema, type ChatRequest, type Tool } from '../../chat/request.ts';
import { defined, type JsonObject } from '../../json.ts';
import { unspoken } from '../losses.ts';
import { type BlockContext, cachePoints, encodePart, toolNameIn, toolWord } from './blocks.ts';
import { type ModelTraits, traitsOf } from './types.ts';

const spoken = [
  ...['max_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'reasoning', 'json_schema', 'metadata', 'service_tier', 'tools'],
  ...['tool_choice', 'strict', 'cache_control', 'citations'],
];
const tiers = ['priority', 'flex'];

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

/** The body of Converse and ConverseStream, which differ by their path. */
export function encodeRequest(request: ChatRequest, { model }: RequestContext): Encoded {
  const losses = unspoken(request, spoken);
  const traits = traitsOf(model);
  const context: BlockContext = { losses, caches: traits.caches, documents: 0 };
  const messages = encodeTurns(request, context);
  const system = request.system.flatMap((part) => encodePart(part, context));
  const body: JsonObject = {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...filled('inferenceConfig', inference(request, losses)),
    ...filled('toolConfig', encodeTools(request, messages, context)),
    ...filled('additionalModelRequestFields', further(request, traits, losses)),
    ...filled('outputConfig', output(request)),
    ...filled('requestMetadata', textsOf(request.metadata, losses)),
  };
  const { serviceTier = 'auto' } = request;
  if (tiers.includes(serviceTier)) body.serviceTier = { type: serviceTier };
  else if (serviceTier !== 'auto' && serviceTier !== 'default') losses.add('service_tier');
  return { body, losses: [...losses] };
}

function filled(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** Turns alternate and begin with the user; instructions between them are told by the user. */
function encodeTurns({ messages }: ChatRequest, context: BlockContext): Turn[] {
  const turns: Turn[] = [];
  for (const { role, parts } of messages) {
    const own = role === 'assistant' ? role : 'user';
    const content = parts.flatMap((part) => encodePart(part, context));
    if (turns.length === 0 && own === 'assistant') turns.push({ role: 'user', content: [{ text: '...' }] });
    const last = turns.at(-1);
    if (last?.role === own) for (const block of content) last.content.push(block);
    else turns.push({ role: own, content });
  }
  if (turns.length === 0) turns.push({ role: 'user', content: [] });
  for (const { content } of turns) {
    // A document does not stand alone, and nothing is refused as well.
    if (content.every((block) => 'document' in block)) content.push({ text: '...' });
    // Results answer the calls of the turn before: they stand first.
    content.sort((a, b) => Number('toolResult' in b) - Number('toolResult' in a));
  }
  return turns;
}

/** Above it a temperature is refused, while other dialects go up to 2. */
const hottest = 1;

function inference({ maxTokens, temperature, topP, stop }: ChatRequest, losses: Set<string>): JsonObject {
  if (temperature !== undefined && temperature > hottest) losses.add('temperature');
  return defined({
    maxTokens,
    temperature: temperature === undefined ? undefined : Math.min(hottest, temperature),
    topP,
    stopSequences: stop.length === 0 ? undefined : stop,
  });
}

/** What the model's maker calls by a name of its own. */
function further({ topK, reasoning }: ChatRequest, traits: ModelTraits, losses: Set<string>): JsonObject {
  const fields: JsonObject = {};
  if (topK !== undefined && traits.topK === 'top_k') fields.top_k = topK;
  if (topK !== undefined && traits.topK === 'inferenceConfig') fields.inferenceConfig = { topK };
  if (topK !== undefined && traits.topK === undefined) losses.add('top_k');
  const { effort, budgetTokens } = reasoning ?? {};
  if (budgetTokens !== undefined) losses.add('reasoning');
  if (effort === undefined) return fields;
  if (traits.effort === undefined) {
    if (effort !== 'none') losses.add('reasoning');
    return fields;
  }
  const level = effort === 'xhigh' || effort === 'max' ? 'high' : effort === 'minimal' ? 'low' : effort;
  if (traits.effort === 'reasoning_effort') fields.reasoning_effort = level === 'none' ? 'low' : level;
  else fields.reasoningConfig = level === 'none' ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: level };
  return fields;
}

function output({ output }: ChatRequest): JsonObject {
  if (output?.kind !== 'schema') return {};
  const { name, description, schema } = output;
  const jsonSchema = { name, ...(description === undefined ? {} : { description }), schema: JSON.stringify(schema) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/** What names and values of metadata may hold; the service refuses a request with any other. */
const plainWord = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/;

function textsOf(metadata: JsonObject | undefined, losses: Set<string>): JsonObject {
  const isPlain = (value: unknown) => typeof value === 'string' && plainWord.test(value);
  const entries = Object.entries(metadata ?? {}).filter(([name, value]) => name !== '' && isPlain(name) && isPlain(value));
  if (entries.length < Object.keys(metadata ?? {}).length) losses.add('metadata');
  return Object.fromEntries(entries);
}

function encodeTools(request: ChatRequest, turns: readonly Turn[], context: BlockContext): JsonObject {
  const functions = request.tools.filter((tool) => tool.kind === 'function');
  const called = turns.flatMap(({ content }) => content.flatMap((block) => toolNameIn(block) ?? []));
  const isNone = request.toolChoice === 'none';
  if (isNone && called.length === 0) return {};
  const tools = functions.flatMap((tool) => encodeTool(tool, context));
  // A conversation with calls in it is refused without tools.
  if (tools.length === 0)
    for (const name of new Set(called)) tools.push({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
  if (tools.length === 0) return {};
  if (isNone) context.losses.add('tool_choice');
  return { tools, ...filled('toolChoice', choiceOf(request.toolChoice)) };
}

function encodeTool(tool: Extract<Tool, { kind: 'function' }>, context: BlockContext): JsonObject[] {
  const { name, description, parameters, strict, cache } = tool;
  const about = description === undefined || description === '' ? {} : { description };
  const spec = {
    name: toolWord(name),
    ...about,
    inputSchema: { json: argumentsSchema(parameters) },
    ...(strict === true ? { strict } : {}),
  };
  return [{ toolSpec: spec }, ...cachePoints(cache, context, true)];
}

function choiceOf(choice: ChatRequest['toolChoice']): JsonObject {
  if (choice === undefined || choice === 'none') return {};
  if (typeof choice === 'object') return { tool: { name: toolWord(choice.name) } };
  return choice === 'required' ? { any: {} } : { auto: {} };
}
