import type { MockRequest } from '../../records.ts';
import { checkReasoning, checkTools } from '../efforts.ts';
import type { Facts, Piece, ToolFact, Turn } from '../facts.ts';
import { sizeText } from '../facts.ts';
import * as strict from '../strict.ts';

const known =
  'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options';

/** A chat completions request, refused as its vendor refuses. */
export function readChat({ json, headers }: MockRequest): Facts {
  if (!/^Bearer .+/.test(headers.authorization ?? '')) throw new strict.VendorError(401, 'no key');
  const body = strict.only(json, 'body', known);
  const model = strict.filled(body.model, 'model');
  const isReasoning = /^(o\d|gpt-[56])/.test(model);
  if (isReasoning && body.max_tokens !== undefined) strict.refuse('max_tokens: use max_completion_tokens with this model');
  if (body.stream_options !== undefined && body.stream !== true) strict.refuse('stream_options: only with stream');
  const messages = strict.list(body.messages, 'messages').map((message, k) => strict.object(message, `messages[${k}]`));
  if (messages.length === 0) strict.refuse('messages: must not be empty');
  checkCalls(messages);
  const isInstruction = (message: strict.Json) => message.role === 'system' || message.role === 'developer';
  const format = body.response_format === undefined ? undefined : strict.object(body.response_format, 'response_format');
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(messages))) strict.refuse('messages: must say json');
  const modalities = strict.some(body.modalities, 'modalities');
  if (modalities.includes('audio')) strict.only(body.audio, 'audio', 'voice format');
  if (body.top_logprobs !== undefined && body.logprobs !== true) strict.refuse('top_logprobs: needs logprobs');
  const effort = body.reasoning_effort;
  if (effort !== undefined) strict.oneOf(effort, 'reasoning_effort', 'none minimal low medium high xhigh max');
  checkReasoning(model, effort, body);
  checkTools(model, effort, strict.some(body.tools, 'tools'));
  if (body.service_tier !== undefined) strict.oneOf(body.service_tier, 'service_tier', 'auto default flex scale priority');
  return {
    model,
    stream: body.stream === true,
    system: messages
      .filter(isInstruction)
      .map((message) => instruction(message))
      .join('\n'),
    turns: messages.filter((message) => !isInstruction(message)).map(readMessage),
    tools: strict.some(body.tools, 'tools').map(readTool),
    choice: readChoice(body.tool_choice, strict.some(body.tools, 'tools')),
    isParallel: body.parallel_tool_calls !== false,
    cap: strict.whole(body.max_completion_tokens ?? body.max_tokens, 'max_tokens', 1),
    temperature: strict.number(body.temperature, 'temperature', 0, 2),
    topP: strict.number(body.top_p, 'top_p', 0, 1),
    seed: strict.whole(body.seed, 'seed', -(2 ** 53), 2 ** 53),
    stop: readStop(body.stop),
    choices: strict.whole(body.n, 'n', 1, 128) ?? 1,
    logprobs: body.logprobs === true ? (strict.whole(body.top_logprobs, 'top_logprobs', 0, 20) ?? 0) : undefined,
    thinking: effort === undefined ? undefined : { effort: String(effort), isShown: true },
    schema: format === undefined ? undefined : readFormat(format),
    user: body.user === undefined ? undefined : strict.matching(body.user, 'user', /^.{0,64}$/s),
    marks: [],
    speaks: modalities.includes('audio'),
    wantsUsage:
      body.stream_options !== undefined &&
      strict.only(body.stream_options, 'stream_options', 'include_usage include_obfuscation').include_usage === true,
  };
}

function readStop(value: unknown): string[] {
  const stop = typeof value === 'string' ? [value] : strict.some(value, 'stop').map((each) => strict.filled(each, 'stop'));
  if (stop.length > 4) strict.refuse('stop: at most four');
  return stop;
}

/** Every call is answered by the messages right behind it, and nothing else is. */
function checkCalls(messages: readonly strict.Json[]): void {
  let open = new Set<unknown>();
  for (const [k, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) strict.refuse(`messages[${k}]: a tool message without a call of its id`);
      continue;
    }
    if (open.size > 0) strict.refuse(`messages[${k}]: calls ${[...open].join(', ')} have no answer`);
    const calls = strict.some(message.tool_calls, `messages[${k}].tool_calls`);
    open = new Set(calls.map((call) => strict.filled(strict.object(call, 'call').id, 'call.id')));
  }
  if (open.size > 0) strict.refuse(`messages: calls ${[...open].join(', ')} have no answer`);
}

function instruction(message: strict.Json): string {
  strict.only(message, 'instruction', 'role content name');
  if (typeof message.content === 'string') return message.content;
  const parts = strict.list(message.content, 'content').map((part) => strict.only(part, 'content', 'type text'));
  return parts.map((part) => strict.text(part.text, 'text')).join('\n');
}

function readMessage(message: strict.Json): Turn {
  const role = strict.oneOf(message.role, 'role', 'user assistant tool');
  if (role === 'tool') return { role: 'user', pieces: [readResult(message)] };
  if (role === 'user') {
    strict.only(message, 'user message', 'role content name');
    return { role, pieces: readContent(message.content, 'text image_url input_audio file') };
  }
  return { role: 'assistant', pieces: readAssistant(message) };
}

function readResult(message: strict.Json): Piece {
  strict.only(message, 'tool message', 'role content tool_call_id');
  const pieces = readContent(message.content, 'text');
  const result = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
  return { result, id: strict.filled(message.tool_call_id, 'tool_call_id'), isError: false };
}

function readAssistant(message: strict.Json): Piece[] {
  strict.only(message, 'assistant message', 'role content name tool_calls refusal audio annotations reasoning_content');
  const calls = strict.some(message.tool_calls, 'tool_calls').map((each): Piece => {
    const call = strict.only(each, 'call', 'id type function');
    strict.oneOf(call.type, 'call.type', 'function');
    const { name, arguments: args } = strict.only(call.function, 'call.function', 'name arguments');
    return { call: strict.filled(name, 'name'), args: strict.parsed(args, 'arguments'), id: strict.filled(call.id, 'id') };
  });
  const isEmpty = message.content === null || message.content === undefined;
  if (isEmpty && calls.length === 0 && !message.refusal && !message.audio) strict.refuse('assistant message: content is missing');
  const refusal: Piece[] = typeof message.refusal === 'string' ? [{ refusal: message.refusal }] : [];
  return [...(isEmpty ? [] : readContent(message.content, 'text refusal')), ...refusal, ...calls];
}

function readContent(content: unknown, allowed: string): Piece[] {
  if (typeof content === 'string') return [{ text: content }];
  const parts = strict.list(content, 'content');
  if (parts.length === 0) strict.refuse('content: must not be empty');
  return parts.map((each, k): Piece => {
    const part = strict.object(each, `content[${k}]`);
    strict.oneOf(part.type, `content[${k}].type`, allowed);
    return readPart(part);
  });
}

function readPart(part: strict.Json): Piece {
  if (part.type === 'text') return { text: strict.text(strict.only(part, 'text part', 'type text').text, 'text') };
  if (part.type === 'refusal') return { refusal: strict.text(part.refusal, 'refusal') };
  if (part.type === 'image_url') {
    const { url } = strict.only(strict.only(part, 'image part', 'type image_url').image_url, 'image_url', 'url detail');
    return { image: place(strict.filled(url, 'url'), 'image_url', /^image\/(png|jpeg|gif|webp)$/) };
  }
  if (part.type === 'input_audio') {
    const { data, format } = strict.only(
      strict.only(part, 'audio part', 'type input_audio').input_audio,
      'input_audio',
      'data format',
    );
    return { sound: sizeText(`audio/${strict.oneOf(format, 'format', 'wav mp3')}`, strict.base64(data, 'data')) };
  }
  const file = strict.only(strict.only(part, 'file part', 'type file').file, 'file', 'file_data file_id filename');
  if (file.file_data === undefined) return { file: strict.filled(file.file_id, 'file_id') };
  strict.filled(file.filename, 'filename');
  return { file: place(strict.filled(file.file_data, 'file_data'), 'file_data', /./) };
}

function place(url: string, path: string, types: RegExp): string {
  if (/^https?:\/\//.test(url)) return url;
  const { mediaType, data } = strict.dataUrl(url, path);
  return sizeText(strict.matching(mediaType, path, types), data);
}

function readTool(each: unknown): ToolFact {
  const tool = strict.only(each, 'tool', 'type function');
  strict.oneOf(tool.type, 'tool.type', 'function');
  const {
    name,
    description,
    parameters,
    strict: isStrict,
  } = strict.only(tool.function, 'function', 'name description parameters strict');
  strict.matching(name, 'function.name', /^[a-zA-Z0-9_-]{1,64}$/);
  const schema = strict.object(parameters ?? { type: 'object', properties: {} }, 'parameters');
  if (schema.type !== 'object') strict.refuse('parameters: type must be object');
  if (schema.properties === undefined) strict.refuse('In context=(), object schema missing properties.');
  if (isStrict === true) strict.closedSchema(schema, 'parameters');
  return { name: String(name), description: String(description ?? ''), schema };
}

function readChoice(choice: unknown, tools: readonly unknown[]): Facts['choice'] {
  if (choice === undefined) return 'auto';
  if (tools.length === 0) strict.refuse('tool_choice: only with tools');
  if (typeof choice === 'string') return strict.oneOf(choice, 'tool_choice', 'auto none required');
  const { type, function: called } = strict.only(choice, 'tool_choice', 'type function');
  strict.oneOf(type, 'tool_choice.type', 'function');
  return { name: strict.filled(strict.object(called, 'tool_choice.function').name, 'name') };
}

function readFormat(format: strict.Json): strict.Json | undefined {
  const type = strict.oneOf(format.type, 'response_format.type', 'text json_object json_schema');
  if (type !== 'json_schema') return type === 'text' ? undefined : {};
  const { name, schema, strict: isStrict } = strict.only(format.json_schema, 'json_schema', 'name schema strict description');
  strict.matching(name, 'json_schema.name', /^[a-zA-Z0-9_-]{1,64}$/);
  return isStrict === true ? strict.closedSchema(schema, 'schema') : strict.object(schema, 'schema');
}
