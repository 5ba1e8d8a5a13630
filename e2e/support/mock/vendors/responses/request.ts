import type { MockRequest } from '../../records.ts';
import { checkReasoning } from '../efforts.ts';
import type { Facts, Piece, ToolFact, Turn } from '../facts.ts';
import { sizeText } from '../facts.ts';
import * as strict from '../strict.ts';

const known =
  'background conversation include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user';
const includable =
  'reasoning.encrypted_content message.output_text.logprobs web_search_call.action.sources file_search_call.results message.input_image.image_url code_interpreter_call.outputs computer_call_output.output.image_url';

/** A responses request, refused as its vendor refuses. `remembered` = the calls that an earlier response left open. */
export function readResponses({ json, headers }: MockRequest): Facts {
  if (!/^Bearer .+/.test(headers.authorization ?? '')) throw new strict.VendorError(401, 'no key');
  const body = strict.only(json, 'body', known);
  const include = strict.some(body.include, 'include').map((each) => strict.oneOf<string>(each, 'include', includable));
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : strict.list(body.input, 'input');
  if (input.length === 0) strict.refuse('input: must not be empty');
  const items = input.map((item, k) => readItem(strict.object(item, `input[${k}]`), `input[${k}]`));
  if (body.previous_response_id === undefined) checkCalls(items);
  else strict.matching(body.previous_response_id, 'previous_response_id', /^resp_vendor/);
  const reasoning =
    body.reasoning === undefined || body.reasoning === null
      ? {}
      : strict.only(body.reasoning, 'reasoning', 'effort summary generate_summary');
  const text = body.text === undefined ? {} : strict.only(body.text, 'text', 'format verbosity');
  const format = text.format === undefined ? undefined : strict.object(text.format, 'text.format');
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(body.input)))
    strict.refuse(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    );
  const tools = strict.some(body.tools, 'tools').map(readTool);
  const system = items.flatMap(({ instruction }) => instruction ?? []);
  if (reasoning.effort !== undefined)
    strict.oneOf(reasoning.effort, 'reasoning.effort', 'none minimal low medium high xhigh max');
  checkReasoning(String(body.model), reasoning.effort, body);
  if (reasoning.summary !== undefined && reasoning.summary !== null)
    strict.oneOf(reasoning.summary, 'reasoning.summary', 'auto concise detailed');
  if (body.stream_options !== undefined && body.stream !== true) strict.refuse('stream_options: only with stream');
  const isThinking = reasoning.effort !== undefined || reasoning.summary !== undefined;
  return {
    model: strict.filled(body.model, 'model'),
    stream: body.stream === true,
    system: [...(body.instructions ? [strict.text(body.instructions, 'instructions')] : []), ...system].join('\n'),
    turns: items.flatMap(({ turn }) => turn ?? []),
    tools,
    choice: readChoice(body.tool_choice),
    isParallel: body.parallel_tool_calls !== false,
    cap: strict.whole(body.max_output_tokens, 'max_output_tokens', 16),
    temperature: strict.number(body.temperature, 'temperature', 0, 2),
    topP: strict.number(body.top_p, 'top_p', 0, 1),
    stop: [],
    choices: 1,
    logprobs: include.includes('message.output_text.logprobs')
      ? (strict.whole(body.top_logprobs, 'top_logprobs', 0, 20) ?? 0)
      : undefined,
    thinking: isThinking
      ? { effort: reasoning.effort === undefined ? undefined : String(reasoning.effort), isShown: Boolean(reasoning.summary) }
      : undefined,
    schema: format === undefined ? undefined : readFormat(format),
    user: body.user === undefined ? undefined : strict.matching(body.user, 'user', /^.{0,64}$/s),
    marks: [],
    speaks: false,
    wantsUsage: true,
  };
}

interface Item {
  readonly instruction?: string;
  readonly turn?: Turn;
}

function checkCalls(items: readonly Item[]): void {
  const pieces = items.flatMap(({ turn }) => turn?.pieces ?? []);
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const piece of pieces) {
    if ('call' in piece) calls.add(piece.id);
    if (!('result' in piece)) continue;
    if (!calls.has(piece.id)) strict.refuse(`No tool call found for function call output with call_id ${piece.id}.`);
    answered.add(piece.id);
  }
  for (const id of calls) if (!answered.has(id)) strict.refuse(`No tool output found for function call ${id}.`);
}

function readItem(item: strict.Json, path: string): Item {
  const id = (prefix: RegExp) => item.id === undefined || item.id === null || strict.matching(item.id, `${path}.id`, prefix);
  switch (
    strict.oneOf<string>(
      item.type ?? 'message',
      `${path}.type`,
      'message function_call function_call_output reasoning compaction item_reference',
    )
  ) {
    case 'message': {
      strict.only(item, path, 'type role content id status phase');
      id(/^msg/);
      return readMessage(item, path);
    }
    case 'function_call': {
      strict.only(item, path, 'type id call_id name arguments status namespace');
      id(/^fc/);
      const call: Piece = {
        call: strict.filled(item.name, path),
        args: strict.parsed(item.arguments, `${path}.arguments`),
        id: strict.matching(item.call_id, `${path}.call_id`, /^.{1,64}$/),
      };
      return { turn: { role: 'assistant', pieces: [call] } };
    }
    case 'function_call_output': {
      strict.only(item, path, 'type id call_id output status');
      const parts =
        typeof item.output === 'string'
          ? [{ text: item.output }]
          : readContent(item.output, 'input_text input_image input_file', path);
      const result = parts.map((part) => ('text' in part ? part.text : 'image' in part ? part.image : '')).join('');
      return { turn: { role: 'user', pieces: [{ result, id: strict.filled(item.call_id, path), isError: false }] } };
    }
    case 'reasoning': {
      strict.only(item, path, 'type id summary content encrypted_content status');
      // What is not stored may come back without the id that nobody knows any more.
      if (!item.encrypted_content || item.id !== undefined) strict.matching(item.id, `${path}.id`, /^rs_/);
      const thought = strict
        .list(item.summary, `${path}.summary`)
        .map((each) => strict.text(strict.only(each, path, 'type text').text, path))
        .join('');
      const sealed = item.encrypted_content ?? '';
      if (sealed !== '' && sealed !== null) strict.matching(sealed, `${path}.encrypted_content`, /^sealed-by-responses/);
      return { turn: { role: 'assistant', pieces: [{ thought, signature: String(sealed) }] } };
    }
    case 'compaction': {
      strict.only(item, path, 'type id encrypted_content');
      strict.matching(item.encrypted_content, `${path}.encrypted_content`, /^compacted-by-responses/);
      return {};
    }
    default:
      strict.only(item, path, 'type id');
      return {};
  }
}

function readMessage(item: strict.Json, path: string): Item {
  const role = strict.oneOf<string>(item.role, `${path}.role`, 'user assistant system developer');
  const allowed = role === 'assistant' ? 'output_text refusal' : 'input_text input_image input_file';
  const pieces = typeof item.content === 'string' ? [{ text: item.content }] : readContent(item.content, allowed, path);
  if (role === 'user' || role === 'assistant') return { turn: { role, pieces } };
  return { instruction: pieces.map((piece) => ('text' in piece ? piece.text : '')).join('\n') };
}

function readContent(content: unknown, allowed: string, path: string): Piece[] {
  return strict.list(content, `${path}.content`).map((each): Piece => {
    const part = strict.object(each, path);
    switch (strict.oneOf<string>(part.type, `${path}.content.type`, allowed)) {
      case 'input_text':
        return { text: strict.text(strict.only(part, path, 'type text').text, path) };
      case 'output_text':
        return { text: strict.text(strict.only(part, path, 'type text annotations logprobs').text, path) };
      case 'refusal':
        return { refusal: strict.text(strict.only(part, path, 'type refusal').refusal, path) };
      case 'input_image': {
        strict.only(part, path, 'type image_url file_id detail');
        if (part.detail !== undefined) strict.oneOf(part.detail, `${path}.detail`, 'low high auto original');
        return {
          image:
            part.image_url === undefined ? strict.filled(part.file_id, path) : place(strict.filled(part.image_url, path), path),
        };
      }
      default: {
        strict.only(part, path, 'type file_data file_id file_url filename detail');
        if (part.file_url !== undefined) return { file: strict.matching(part.file_url, path, /^https?:/) };
        if (part.file_data === undefined) return { file: strict.filled(part.file_id, path) };
        strict.filled(part.filename, `${path}.filename`);
        return { file: place(strict.filled(part.file_data, path), path) };
      }
    }
  });
}

function place(url: string, path: string): string {
  if (/^https?:\/\//.test(url)) return url;
  const { mediaType, data } = strict.dataUrl(url, path);
  return sizeText(mediaType, data);
}

function readTool(each: unknown): ToolFact {
  const tool = strict.only(each, 'tool', 'type name description parameters strict defer_loading');
  strict.oneOf(tool.type, 'tool.type', 'function');
  const schema = strict.object(tool.parameters, 'tool.parameters');
  if (schema.type !== 'object') strict.refuse('tool.parameters: type must be object');
  if (schema.properties === undefined) strict.refuse('In context=(), object schema missing properties.');
  // Absent means strict here, then the vendor closes the schema by itself.
  if (tool.strict === true) strict.closedSchema(schema, 'tool.parameters');
  return {
    name: strict.matching(tool.name, 'tool.name', /^[a-zA-Z0-9_-]{1,64}$/),
    description: String(tool.description ?? ''),
    schema,
  };
}

function readChoice(choice: unknown): Facts['choice'] {
  if (choice === undefined) return 'auto';
  if (typeof choice === 'string') return strict.oneOf(choice, 'tool_choice', 'auto none required');
  const { type, name } = strict.only(choice, 'tool_choice', 'type name');
  strict.oneOf(type, 'tool_choice.type', 'function');
  return { name: strict.filled(name, 'tool_choice.name') };
}

function readFormat(format: strict.Json): strict.Json | undefined {
  const type = strict.oneOf<string>(format.type, 'text.format.type', 'text json_object json_schema');
  if (type !== 'json_schema') return type === 'text' ? undefined : {};
  const { name, schema, strict: isStrict } = strict.only(format, 'text.format', 'type name schema strict description');
  strict.matching(name, 'text.format.name', /^[a-zA-Z0-9_-]{1,64}$/);
  return isStrict === true ? strict.closedSchema(schema, 'text.format.schema') : strict.object(schema, 'schema');
}
