import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import { mediaUrl } from '../../chat/media.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../../chat/parts.ts';
import { argumentsSchema, type ChatRequest, type Message, type Tool } from '../../chat/request.ts';
import type { JsonObject } from '../../json.ts';
import { lostWord, unspoken } from '../losses.ts';
import { partsText, plainText, systemText } from '../turns.ts';

const spoken = ['temperature', 'top_p', 'stop', 'seed', 'reasoning', 'tools', 'tool_choice'];
/** Any other is refused. */
const seeds = { least: 1, most: 10_000 } as const;

/** ChatCompletions of version 2023-09-01. */
export function encodeRequest(request: ChatRequest, { model }: RequestContext): Encoded {
  const losses = unspoken(request, spoken);
  const system = systemText(request);
  const functions = request.tools.filter((tool) => tool.kind === 'function');
  const body: JsonObject = {
    Model: model,
    Messages: [
      ...(system === '' ? [] : [{ Role: 'system', Content: system }]),
      ...request.messages.flatMap((message) => encodeMessage(message, losses)),
    ],
    Stream: request.stream,
  };
  if (request.temperature !== undefined) body.Temperature = request.temperature;
  if (request.topP !== undefined) body.TopP = request.topP;
  if (request.seed !== undefined) {
    if (request.seed >= seeds.least && request.seed <= seeds.most) body.Seed = request.seed;
    else losses.add('seed');
  }
  if (request.stop.length > 0) body.Stop = request.stop;
  if (request.reasoning?.effort !== undefined) body.EnableThinking = request.reasoning.effort !== 'none';
  if (request.reasoning?.budgetTokens !== undefined) losses.add('reasoning');
  if (functions.length > 0 && request.toolChoice !== 'none')
    Object.assign(body, encodeTools(functions, request.toolChoice, losses));
  return { body, losses: [...losses] };
}

function encodeTools(functions: Extract<Tool, { kind: 'function' }>[], choice: ChatRequest['toolChoice'], losses: Set<string>) {
  const Tools = functions.map(({ name, description, parameters }) => ({
    Type: 'function',
    Function: {
      Name: name,
      ...(description === undefined ? {} : { Description: description }),
      Parameters: JSON.stringify(argumentsSchema(parameters)),
    },
  }));
  const forced = typeof choice === 'object' ? Tools.find((tool) => tool.Function.Name === choice.name) : undefined;
  if (forced !== undefined) return { Tools, ToolChoice: 'custom', CustomTool: forced };
  if (choice === 'required') losses.add('tool_choice');
  return { Tools, ToolChoice: 'auto' };
}

function encodeMessage({ role, parts }: Message, losses: Set<string>): JsonObject[] {
  const results = parts.filter((part): part is ToolResultPart => part.kind === 'tool-result');
  const calls = parts.filter((part): part is ToolCallPart => part.kind === 'tool-call');
  const rest = parts.filter(({ kind }) => kind !== 'tool-result' && kind !== 'tool-call');
  const messages: JsonObject[] = results.map(({ id, content, isError }) => {
    if (isError === true) losses.add('is_error');
    return { Role: 'tool', ToolCallId: id, Content: partsText(content, losses) };
  });
  if (rest.length === 0 && calls.length === 0) return messages;
  const message: JsonObject = { Role: role, ...encodeContent(rest, losses) };
  if (calls.length > 0) {
    message.ToolCalls = calls.map(({ id, name, arguments: text }, Index) => ({
      Id: id,
      Type: 'function',
      Index,
      Function: { Name: name, Arguments: text },
    }));
  }
  return [...messages, message];
}

function encodeContent(parts: readonly Part[], losses: Set<string>): JsonObject {
  if (!parts.some(({ kind }) => kind === 'image')) return { Content: partsText(parts, losses) };
  const Contents: JsonObject[] = [];
  for (const part of parts) {
    const text = plainText(part);
    const address = part.kind === 'image' ? mediaUrl(part.source) : undefined;
    if (text !== undefined) Contents.push({ Type: 'text', Text: text });
    else if (address === undefined) losses.add(lostWord(part));
    else Contents.push({ Type: 'image_url', ImageUrl: { Url: address } });
    if (part.kind === 'image' && (part.detail ?? 'auto') !== 'auto') losses.add('image_detail');
  }
  return { Contents };
}
