import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import type { ToolCallPart } from '../../chat/parts.ts';
import { argumentsSchema, type ChatRequest } from '../../chat/request.ts';
import type { JsonObject } from '../../json.ts';
import { unspoken } from '../losses.ts';
import { partsText, systemText } from '../turns.ts';

export const dialect = 'spark-chat';
const spoken = ['max_tokens', 'temperature', 'top_k', 'user', 'tools', 'reasoning'];

/**
 * `{header, parameter, payload}`. The model is named by the address and by `parameter.chat.domain`, and the caller by
 * `header.app_id`: both are the record's to add.
 */
export function encodeRequest(request: ChatRequest, _context: RequestContext): Encoded {
  const losses = unspoken(request, spoken);
  const system = systemText(request);
  const chat: JsonObject = {};
  if (request.maxTokens !== undefined) chat.max_tokens = request.maxTokens;
  if (request.temperature !== undefined) chat.temperature = request.temperature;
  if (request.topK !== undefined) chat.top_k = request.topK;
  if (request.reasoning?.effort !== undefined)
    chat.thinking = { type: request.reasoning.effort === 'none' ? 'disabled' : 'enabled' };
  if (request.reasoning?.budgetTokens !== undefined) losses.add('reasoning');
  const payload: JsonObject = {
    message: { text: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...texts(request, losses)] },
  };
  const functions = request.tools.filter((tool) => tool.kind === 'function');
  if (functions.length > 0 && request.toolChoice !== 'none') {
    payload.functions = {
      text: functions.map(({ name, description, parameters }) => ({
        name,
        description: description ?? name,
        parameters: argumentsSchema(parameters),
      })),
    };
  }
  const body: JsonObject = {
    header: request.user === undefined ? {} : { uid: request.user.slice(0, 32) },
    parameter: { chat },
    payload,
  };
  return { body, losses: [...losses] };
}

/** There are no roles for calls and results: a result is something the user says. */
function texts({ messages }: ChatRequest, losses: Set<string>): JsonObject[] {
  return messages.flatMap(({ role, parts }) => {
    const calls = parts.filter((part): part is ToolCallPart => part.kind === 'tool-call');
    const content = partsText(
      parts.filter(({ kind }) => kind !== 'tool-call'),
      losses,
    );
    const [call] = calls;
    if (call === undefined) return content === '' ? [] : [{ role, content }];
    if (calls.length > 1) losses.add('parallel_tools');
    return [{ role, content, function_call: { name: call.name, arguments: call.arguments } }];
  });
}
