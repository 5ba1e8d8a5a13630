import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import type { ToolCallPart } from '../../chat/parts.ts';
import { argumentsSchema, type ChatRequest, type Message } from '../../chat/request.ts';
import type { JsonObject } from '../../json.ts';
import { unspoken } from '../losses.ts';
import { partsText, systemText } from '../turns.ts';

const spoken = ['max_tokens', 'temperature', 'top_p', 'stop', 'frequency_penalty', 'user', 'tools', 'tool_choice', 'json'];
/** The upstream refuses a cap below this. */
const leastTokens = 2;
/** What the upstream takes, both ends among it; the rest it refuses. A temperature must be above 0. */
const temperatures = [0.01, 1] as const;
const penalties = [1, 2] as const;

/** The model stands in the path. Instructions between turns join those before them. */
export function encodeRequest(request: ChatRequest, _context: RequestContext): Encoded {
  const losses = unspoken(request, spoken);
  const later = request.messages.filter(({ role }) => role === 'system').map(({ parts }) => partsText(parts, losses));
  const system = [systemText(request), ...later].filter((text) => text !== '').join('\n');
  const names = namesById(request.messages);
  const messages = request.messages.filter(({ role }) => role !== 'system').flatMap((message) => encode(message, names, losses));
  const body: JsonObject = { messages: joined(messages), stream: request.stream };
  if (system !== '') body.system = system;
  if (request.temperature !== undefined) {
    const [coldest, hottest] = temperatures;
    body.temperature = Math.min(hottest, Math.max(coldest, request.temperature));
    if (request.temperature > hottest) losses.add('temperature');
  }
  if (request.topP !== undefined) body.top_p = request.topP;
  const { frequencyPenalty: penalty = 0 } = request;
  if (penalty >= penalties[0] && penalty <= penalties[1]) body.penalty_score = penalty;
  else if (penalty !== 0) losses.add('frequency_penalty');
  if (request.maxTokens !== undefined) body.max_output_tokens = Math.max(leastTokens, request.maxTokens);
  if (request.stop.length > 0) body.stop = request.stop;
  if (request.user !== undefined) body.user_id = request.user;
  if (request.output?.kind === 'json') body.response_format = 'json_object';
  Object.assign(body, encodeTools(request, losses));
  return { body, losses: [...losses] };
}

function encodeTools({ tools, toolChoice }: ChatRequest, losses: Set<string>): JsonObject {
  const functions = tools.filter((tool) => tool.kind === 'function');
  if (functions.length === 0 || toolChoice === 'none') return {};
  if (toolChoice === 'required') losses.add('tool_choice');
  return {
    functions: functions.map(({ name, description, parameters }) => ({
      name,
      description: description ?? name,
      parameters: argumentsSchema(parameters),
    })),
    ...(typeof toolChoice === 'object' ? { tool_choice: { type: 'function', function: { name: toolChoice.name } } } : {}),
  };
}

function namesById(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ parts }) => parts.filter((part): part is ToolCallPart => part.kind === 'tool-call'));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

/** Results are messages of the role `function`; a message can make one call only. */
function encode({ role, parts }: Message, names: ReadonlyMap<string, string>, losses: Set<string>): JsonObject[] {
  const messages: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind !== 'tool-result') continue;
    const name = part.name || names.get(part.id) || part.id;
    messages.push({ role: 'function', name, content: partsText(part.content, losses) });
    if (part.isError === true) losses.add('is_error');
  }
  const calls = parts.filter((part): part is ToolCallPart => part.kind === 'tool-call');
  const text = partsText(
    parts.filter(({ kind }) => kind !== 'tool-result' && kind !== 'tool-call'),
    losses,
  );
  const [call] = calls;
  if (calls.length > 1) losses.add('parallel_tools');
  if (call !== undefined) {
    messages.push({ role, content: text, function_call: { name: call.name, arguments: call.arguments } });
  } else if (text !== '') messages.push({ role, content: text });
  return messages;
}

/** The upstream wants the roles in turns. */
function joined(messages: readonly JsonObject[]): JsonObject[] {
  const turns: JsonObject[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const isPlain =
      last !== undefined && last.role === message.role && last.role !== 'function' && last.function_call === undefined;
    if (!isPlain) turns.push(message);
    else turns[turns.length - 1] = { ...message, content: `${last.content}\n${message.content}` };
  }
  return turns;
}
