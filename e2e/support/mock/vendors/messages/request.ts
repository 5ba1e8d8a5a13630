import type { MockRequest } from '../../records.ts';
import type { Facts, Piece, ToolFact, Turn } from '../facts.ts';
import { sizeText } from '../facts.ts';
import * as strict from '../strict.ts';
import { checkSchema, checkTally, type Tally } from './schema.ts';

const known =
  'model messages max_tokens metadata stop_sequences stream system temperature thinking tool_choice tools top_k top_p service_tier container output_config cache_control inference_geo context_management';
const mark = 'cache_control';

/** What later models refuse, by their names. */
const takesNoPrefill = /claude-(opus|sonnet)-4-[6-9]|claude-[a-z]+-5/;
const thinksAdaptively = /claude-opus-4-[7-9]|claude-[a-z]+-5/;
const thinksAlways = /claude-(opus|sonnet)-5-5|claude-(fable|mythos)/;
const takesNoDemand = /claude-(opus|sonnet)-5-5|claude-(fable|mythos)-5-1/;

/** A messages request, refused as its vendor refuses. */
export function readMessages({ json, headers }: MockRequest): Facts {
  if (!headers['x-api-key']) throw new strict.VendorError(401, 'x-api-key header is required');
  if (!headers['anthropic-version']) strict.refuse('anthropic-version: header is required');
  const body = strict.only(json, 'body', known);
  const marks: ('5m' | '1h')[] = [];
  const noteMark = (holder: strict.Json) => marks.push(...readMark(holder));
  noteMark(body);
  const cap = strict.whole(body.max_tokens, 'max_tokens', 1);
  if (cap === undefined) strict.refuse('max_tokens: field required');
  const model = strict.filled(body.model, 'model');
  const thinking = readThinking(body, cap, model);
  checkEdits(body, thinking !== undefined);
  const system = readSystem(body.system, noteMark);
  const tally: Tally = { tools: 0, optional: 0, unions: 0 };
  const tools = strict.some(body.tools, 'tools').map((tool) => readTool(tool, noteMark, tally));
  const turns = strict.list(body.messages, 'messages').map((message, k) => readMessage(message, `messages.${k}`, noteMark));
  checkTurns(turns, thinking?.budget !== undefined);
  if (turns.at(-1)?.role === 'assistant' && takesNoPrefill.test(model))
    strict.refuse('This model does not support assistant message prefill. The conversation must end with a user message.');
  if (marks.length > 4) strict.refuse('cache_control: at most four blocks');
  const { choice, isParallel } = readChoice(body.tool_choice, tools);
  if (choice !== 'auto' && choice !== 'none' && takesNoDemand.test(model))
    strict.refuse('tool_choice: type "tool" and "any" are not supported for this model.');
  if (thinking !== undefined && choice !== 'auto' && choice !== 'none')
    strict.refuse('thinking: may not be enabled when tool_choice forces tool use');
  const format = body.output_config === undefined ? {} : strict.only(body.output_config, 'output_config', 'effort format');
  const schema = format.format === undefined ? undefined : readFormat(format.format, tally);
  checkTally(tally);
  return {
    model,
    stream: body.stream === true,
    system,
    turns,
    tools,
    choice,
    isParallel,
    cap,
    temperature: strict.number(body.temperature, 'temperature', 0, 1),
    topP: strict.number(body.top_p, 'top_p', 0, 1),
    topK: strict.whole(body.top_k, 'top_k', 0),
    stop: strict.some(body.stop_sequences, 'stop_sequences').map((each) => strict.matching(each, 'stop_sequences', /\S/)),
    choices: 1,
    thinking,
    schema,
    user: body.metadata === undefined ? undefined : userOf(body.metadata),
    marks,
    speaks: false,
    wantsUsage: true,
  };
}

function userOf(metadata: unknown): string | undefined {
  const { user_id: user } = strict.only(metadata, 'metadata', 'user_id');
  return typeof user === 'string' ? strict.matching(user, 'metadata.user_id', /^.{1,256}$/) : undefined;
}

function readFormat(format: unknown, tally: Tally): strict.Json {
  const { type, schema } = strict.only(format, 'output_config.format', 'type schema');
  strict.oneOf(type, 'output_config.format.type', 'json_schema');
  return checkSchema(schema, 'output_config.format.schema', tally);
}

function readMark(holder: strict.Json): ('5m' | '1h')[] {
  const found = holder[mark];
  if (found === undefined || found === null) return [];
  const { type, ttl } = strict.only(found, mark, 'type ttl');
  strict.oneOf(type, `${mark}.type`, 'ephemeral');
  return [strict.oneOf(ttl ?? '5m', `${mark}.ttl`, '5m 1h')];
}

type Note = (holder: strict.Json) => void;

function readThinking(body: strict.Json, cap: number | undefined, model: string): Facts['thinking'] {
  const { effort } = body.output_config === undefined ? { effort: undefined } : (body.output_config as strict.Json);
  if (effort !== undefined) strict.oneOf(effort, 'output_config.effort', 'low medium high xhigh max');
  const drawn = body.temperature !== undefined && body.temperature !== 1;
  if (thinksAdaptively.test(model) && (drawn || body.top_k !== undefined))
    strict.refuse('temperature, top_k: not supported for this model');
  if (body.thinking === undefined) return thinksAlways.test(model) ? alwaysThinking(effort) : undefined;
  const thinking = strict.only(body.thinking, 'thinking', 'type budget_tokens display');
  const type = strict.oneOf(thinking.type, 'thinking.type', 'enabled disabled adaptive');
  if (type === 'enabled' ? thinksAdaptively.test(model) : type === 'disabled' && thinksAlways.test(model))
    strict.refuse(
      `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
    );
  if (type === 'disabled') return undefined;
  if (body.temperature !== undefined && body.temperature !== 1)
    strict.refuse('temperature: may only be 1 when thinking is enabled');
  if (body.top_k !== undefined) strict.refuse('top_k: must be unset when thinking is enabled');
  if (typeof body.top_p === 'number' && body.top_p < 0.95) strict.refuse('top_p: must be at least 0.95 when thinking is enabled');
  const isShown = thinking.display !== 'omitted';
  if (type === 'adaptive') return { effort: effort === undefined ? undefined : String(effort), isShown };
  const budget = strict.whole(thinking.budget_tokens, 'thinking.budget_tokens', 1024);
  if (budget === undefined) strict.refuse('thinking.budget_tokens: field required');
  if (cap !== undefined && (budget ?? 0) >= cap) strict.refuse('max_tokens: must be greater than thinking.budget_tokens');
  return { budget, isShown, effort: effort === undefined ? undefined : String(effort) };
}

function checkEdits({ context_management: management }: strict.Json, isThinking: boolean): void {
  if (management === undefined) return;
  const { edits } = strict.only(management, 'context_management', 'edits');
  for (const each of strict.some(edits, 'context_management.edits')) {
    const { type } = strict.object(each, 'context_management.edits');
    if (type === 'clear_thinking_20251015' && !isThinking)
      strict.refuse('`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive');
  }
}

function alwaysThinking(effort: unknown): Facts['thinking'] {
  return { effort: effort === undefined ? undefined : String(effort), isShown: false };
}

function readSystem(system: unknown, note: Note): string {
  if (system === undefined || typeof system === 'string') return system ?? '';
  return strict
    .list(system, 'system')
    .map((each) => {
      const block = strict.only(each, 'system', `type text ${mark} citations`);
      note(block);
      return strict.filled(block.text, 'system.text');
    })
    .join('\n');
}

function readMessage(each: unknown, path: string, note: Note): Turn {
  const message = strict.only(each, path, 'role content');
  const role: Turn['role'] = strict.oneOf(message.role, `${path}.role`, 'user assistant');
  if (typeof message.content === 'string') return { role, pieces: [{ text: strict.filled(message.content, path) }] };
  const blocks = strict.list(message.content, `${path}.content`).map((block) => strict.object(block, path));
  if (blocks.length === 0) strict.refuse(`${path}.content: must not be empty`);
  const pieces = blocks.map((block, k) => {
    note(block);
    return readBlock(block, role, `${path}.content.${k}`);
  });
  const lastResult = pieces.findLastIndex((piece) => 'result' in piece);
  const firstOther = pieces.findIndex((piece) => !('result' in piece));
  if (lastResult >= 0 && firstOther >= 0 && firstOther < lastResult) strict.refuse(`${path}: tool_result blocks must come first`);
  return { role, pieces };
}

function readBlock(block: strict.Json, role: Turn['role'], path: string): Piece {
  const allowed = role === 'user' ? 'text image document tool_result' : 'text tool_use thinking redacted_thinking';
  switch (strict.oneOf<string>(block.type, `${path}.type`, allowed)) {
    case 'text':
      return { text: strict.matching(strict.only(block, path, `type text citations ${mark}`).text, `${path}.text`, /\S/) };
    case 'image':
      return { image: readSource(strict.only(block, path, `type source ${mark}`).source, path, /^image\/(jpeg|png|gif|webp)$/) };
    case 'document':
      return {
        file: readSource(
          strict.only(block, path, `type source title context citations ${mark}`).source,
          path,
          /^(application\/pdf|text\/plain)$/,
        ),
      };
    case 'tool_use': {
      const { id, name, input } = strict.only(block, path, `type id name input caller ${mark}`);
      return {
        call: strict.filled(name, path),
        args: strict.object(input, `${path}.input`),
        id: strict.matching(id, `${path}.id`, /^[a-zA-Z0-9_-]+$/),
      };
    }
    case 'tool_result':
      return readResult(strict.only(block, path, `type tool_use_id content is_error ${mark}`), path);
    case 'thinking': {
      const { thinking, signature } = strict.only(block, path, 'type thinking signature');
      return {
        thought: strict.text(thinking, path),
        signature: strict.matching(signature, `${path}.signature`, /^sig-of-messages-/),
      };
    }
    default:
      return { thought: '', signature: strict.filled(block.data, `${path}.data`) };
  }
}

function readResult(block: strict.Json, path: string): Piece {
  const { content } = block;
  const parts =
    typeof content === 'string' || content === undefined
      ? [{ text: content ?? '' }]
      : strict.list(content, path).map((each) => readBlock(strict.object(each, path), 'user', path));
  const result = parts.map((part) => ('text' in part ? part.text : 'image' in part ? part.image : '')).join('');
  return { result, id: strict.filled(block.tool_use_id, path), isError: block.is_error === true };
}

function readSource(each: unknown, path: string, types: RegExp): string {
  const source = strict.object(each, `${path}.source`);
  const type = strict.oneOf<string>(source.type, `${path}.source.type`, 'base64 url file text');
  if (type === 'url') return strict.matching(strict.only(source, path, 'type url').url, path, /^https?:/);
  if (type === 'file') return strict.filled(source.file_id, path);
  const mediaType = strict.matching(source.media_type, `${path}.media_type`, types);
  if (type === 'text') return sizeText(mediaType, Buffer.from(strict.text(source.data, path)).toString('base64'));
  return sizeText(mediaType, strict.base64(strict.only(source, path, 'type media_type data').data, path));
}

/** Only a budget wants the turn that called to begin with thoughts. */
function checkTurns(turns: readonly Turn[], isThinking: boolean): void {
  if (turns[0]?.role !== 'user') strict.refuse('messages: first message must use the user role');
  for (const [k, { role, pieces }] of turns.entries()) {
    const before = turns[k - 1];
    const calls = before?.role === 'assistant' ? before.pieces.flatMap((piece) => ('call' in piece ? [piece.id] : [])) : [];
    const results = pieces.flatMap((piece) => ('result' in piece ? [piece.id] : []));
    for (const id of calls)
      if (!results.includes(id)) strict.refuse(`messages.${k}: tool_use ${id} without a tool_result right after it`);
    for (const id of results)
      if (!calls.includes(id)) strict.refuse(`messages.${k}: unexpected tool_use_id ${id} in tool_result`);
    const isLast = k === turns.length - 1;
    if (isLast && role === 'assistant' && pieces.some((piece) => 'call' in piece))
      strict.refuse('messages: tool_use without a tool_result');
    const isOpenTurn =
      role === 'assistant' &&
      pieces.some((piece) => 'call' in piece) &&
      turns.slice(k + 1).every((later) => later.role === 'assistant' || later.pieces.some((piece) => 'result' in piece));
    const first = pieces[0];
    if (isThinking && isOpenTurn && first !== undefined && !('thought' in first))
      strict.refuse(`messages.${k}: expected thinking or redacted_thinking before tool_use when thinking is enabled`);
  }
}

function readTool(each: unknown, note: Note, tally: Tally): ToolFact {
  const tool = strict.only(
    each,
    'tools',
    `type name description input_schema strict eager_input_streaming input_examples ${mark}`,
  );
  note(tool);
  const schema = strict.object(tool.input_schema, 'tools.input_schema');
  if (schema.type !== 'object') strict.refuse('tools.input_schema.type: field required');
  if (tool.strict === true) {
    tally.tools += 1;
    checkSchema(schema, 'tools.input_schema', tally);
  }
  return {
    name: strict.matching(tool.name, 'tools.name', /^[a-zA-Z0-9_-]{1,128}$/),
    description: String(tool.description ?? ''),
    schema,
  };
}

function readChoice(each: unknown, tools: readonly ToolFact[]): Pick<Facts, 'choice' | 'isParallel'> {
  if (each === undefined) return { choice: 'auto', isParallel: true };
  if (tools.length === 0) strict.refuse('tool_choice: may only be specified while providing tools');
  const {
    type,
    name,
    disable_parallel_tool_use: isSingle,
  } = strict.only(each, 'tool_choice', 'type name disable_parallel_tool_use');
  const kind = strict.oneOf<string>(type, 'tool_choice.type', 'auto any tool none');
  const isParallel = isSingle !== true;
  if (kind === 'tool') return { choice: { name: strict.filled(name, 'tool_choice.name') }, isParallel };
  return { choice: kind === 'any' ? 'required' : kind === 'none' ? 'none' : 'auto', isParallel };
}
