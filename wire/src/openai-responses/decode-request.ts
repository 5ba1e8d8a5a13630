import type { Decoded } from '../chat/dialect.ts';
import { type ChatRequest, efforts, type Reasoning } from '../chat/request.ts';
import { asObject, asObjects, asText, entryOf, type JsonObject } from '../json.ts';
import { routingFields } from '../splice.ts';
import { decodeInput } from './decode-items.ts';
import { decodeChoice, decodeFormat, decodeTool } from './tools.ts';
import { dialectName } from './types.ts';

/** Members that `decodeRequest` reads one by one, or leaves out. */
const readMembers: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'include',
  'reasoning',
  'text',
  'stream',
  'user',
  'safety_identifier',
  'metadata',
  'service_tier',
  'prompt_cache_key',
  ...routingFields,
]);

/**
 * Values that ask for what every other dialect does anyway, and members that concern the form of this one's answers, or tell
 * its vendor of the program that asks (`client_metadata` of Codex) and change no answer.
 */
const hints: Readonly<Record<string, (value: unknown) => boolean>> = {
  store: (value) => value === false,
  background: (value) => value === false,
  truncation: (value) => value === 'disabled',
  stream_options: () => true,
  client_metadata: () => true,
};

const logprobsInclude = 'message.output_text.logprobs';

/** Reads a request body. Never throws. */
export function decodeRequest(body: JsonObject): Decoded {
  const model = asText(body.model);
  if (model === '') return { ok: false, reason: 'model is required' };
  const { input } = body;
  const isReadable = typeof input === 'string' || (Array.isArray(input) && asObjects(input).length === input.length);
  if (!isReadable && !bringsInput(body)) return { ok: false, reason: 'field input is required' };
  const { system, messages } = decodeInput(input);
  const instructions = asText(body.instructions);
  const request: ChatRequest = {
    model,
    system: instructions === '' ? system : [{ kind: 'text', text: instructions }, ...system],
    messages,
    tools: asObjects(body.tools).map(decodeTool),
    stop: [],
    choices: 1,
    stream: body.stream === true,
    wantsUsage: true,
    ...decodeSettings(body),
    ...decodePersons(body),
    extra: decodeExtra(body),
  };
  return { ok: true, request };
}

/** Does it name what holds an input? */
function bringsInput({ prompt, conversation, previous_response_id }: JsonObject): boolean {
  const named = asText(conversation) || asText(previous_response_id);
  return (asObject(prompt) ?? asObject(conversation)) !== undefined || named !== '';
}

function decodeSettings(body: JsonObject): Partial<ChatRequest> {
  const output = decodeFormat(asObject(body.text)?.format);
  const reasoning = decodeReasoning(asObject(body.reasoning));
  const logprobs = decodeLogprobs(body);
  return {
    ...decodeChoice(body.tool_choice),
    ...(typeof body.parallel_tool_calls === 'boolean' ? { parallelTools: body.parallel_tool_calls } : {}),
    ...(typeof body.max_output_tokens === 'number' ? { maxTokens: body.max_output_tokens } : {}),
    ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
    ...(typeof body.top_p === 'number' ? { topP: body.top_p } : {}),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(output === undefined ? {} : { output }),
  };
}

function decodeLogprobs({ include, top_logprobs }: JsonObject): number | undefined {
  const top = typeof top_logprobs === 'number' && top_logprobs > 0 ? top_logprobs : 0;
  return top > 0 || (Array.isArray(include) && include.includes(logprobsInclude)) ? top : undefined;
}

function decodeReasoning(raw: JsonObject | undefined): Reasoning | undefined {
  if (raw === undefined) return undefined;
  const effort = efforts.find((word) => word === raw.effort);
  const shown = asText(raw.summary) || asText(raw.generate_summary);
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(shown === '' || shown === 'none' ? {} : { show: true }),
    spelled: { dialect: dialectName, fields: raw },
  };
}

/**
 * What is said of thoughts beside how many and whether they are shown, and an effort that has no word elsewhere: named
 * without a value, to be lost by name there.
 */
function reasoningMembers({ summary: _, generate_summary: __, ...rest }: JsonObject = {}): string[] {
  const isKnown = (name: string, value: unknown) =>
    name === 'effort' ? efforts.some((word) => word === value) : usualReasoning.has(value);
  const said = Object.entries(rest).filter(([name, value]) => value !== null && !isKnown(name, value));
  return said.map(([name]) => `reasoning.${name}`);
}

const usualReasoning: ReadonlySet<unknown> = new Set(['auto', 'standard']);

function decodePersons(body: JsonObject): Partial<ChatRequest> {
  const user = asText(body.user) || asText(body.safety_identifier);
  const metadata = asObject(body.metadata);
  const [serviceTier, cacheKey] = [asText(body.service_tier), asText(body.prompt_cache_key)];
  return {
    ...(user === '' ? {} : { user }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(serviceTier === '' ? {} : { serviceTier }),
    ...(cacheKey === '' ? {} : { cacheKey }),
  };
}

/** Always there: it also says that the request came in this dialect, whose silence means other things than elsewhere. */
function decodeExtra(body: JsonObject): ChatRequest['extra'] {
  const fields: JsonObject = {};
  const quiet: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    if (readMembers.has(key) || value === null || value === undefined) continue;
    if (entryOf(hints, key)?.(value) === true) quiet[key] = value;
    else fields[key] = value;
  }
  const { format, verbosity, ...text } = asObject(body.text) ?? {};
  if (asText(verbosity) !== '' && verbosity !== 'medium') fields.verbosity = verbosity;
  const { type } = asObject(format) ?? {};
  const isOwnFormat = asText(type) !== '' && type !== 'text' && decodeFormat(format) === undefined;
  if (isOwnFormat || Object.keys(text).length > 0) fields.text = isOwnFormat ? { ...text, format } : text;
  for (const name of reasoningMembers(asObject(body.reasoning))) fields[name] = undefined;
  const isOwnChoice =
    body.tool_choice !== undefined && body.tool_choice !== null && decodeChoice(body.tool_choice).toolChoice === undefined;
  if (isOwnChoice) fields.tool_choice = body.tool_choice;
  const include = Array.isArray(body.include) ? body.include.filter((what) => what !== logprobsInclude) : [];
  if (include.length > 0) quiet.include = include;
  if (asText(body.safety_identifier) !== '') quiet.safety_identifier = body.safety_identifier;
  return { dialect: dialectName, fields, ...(Object.keys(quiet).length === 0 ? {} : { hints: quiet }) };
}
