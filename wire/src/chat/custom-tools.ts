import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import type { Losses } from './losses.ts';
import type { ForeignPart, Part } from './parts.ts';
import type { ChatRequest, Message, Tool } from './request.ts';

/**
 * Tools that take a text instead of JSON, with their calls and results, are known to OpenAI's two dialects alone: `openai-chat` holds
 * in a member `custom` what stands beside the `type` in `openai-responses`. Here one becomes the other; what is none of
 * them stays as it is.
 */
const chat = 'openai-chat';
const responses = 'openai-responses';

type Lose = Losses['lose'];

/** The name of a tool that a choice may name. */
export function choosableName(tool: Tool): string {
  if (tool.kind === 'function') return tool.name;
  return isCustom(tool) ? asText(asObject(tool.raw.custom)?.name ?? tool.raw.name) : '';
}

export function isCustom(tool: Tool): boolean {
  return tool.kind === 'hosted' && tool.raw.type === 'custom';
}

export function customToResponses(request: ChatRequest): ChatRequest {
  return translated(request, toolToResponses, partToResponses);
}

export function customToChat(request: ChatRequest, lose: Lose): ChatRequest {
  return translated(
    request,
    (tool) => toolToChat(tool, lose),
    (part) => partToChat(part, lose),
  );
}

function translated(request: ChatRequest, tool: (tool: Tool) => Tool, part: (part: Part) => Part): ChatRequest {
  const isForeign = ({ parts }: Message) => parts.some(({ kind }) => kind === 'foreign');
  if (!request.tools.some(isCustom) && !request.messages.some(isForeign)) return request;
  const parted = (message: Message): Message => ({ ...message, parts: message.parts.map(part) });
  return { ...request, tools: request.tools.map(tool), messages: request.messages.map(parted) };
}

function toolToResponses(tool: Tool): Tool {
  const inner = tool.kind === 'hosted' && tool.dialect === chat && isCustom(tool) ? asObject(tool.raw.custom) : undefined;
  if (inner === undefined) return tool;
  const { format, ...rest } = inner;
  const { grammar, ...plain } = asObject(format) ?? {};
  const flat = asObject(format) === undefined ? {} : { format: { ...plain, ...asObject(grammar) } };
  return { kind: 'hosted', name: 'custom', dialect: responses, raw: { type: 'custom', ...rest, ...flat } };
}

function toolToChat(tool: Tool, lose: Lose): Tool {
  if (tool.kind !== 'hosted' || tool.dialect !== responses || !isCustom(tool)) return tool;
  const { type, name, description, format, ...rest } = tool.raw;
  for (const [key, value] of Object.entries(rest)) if (value !== null) lose(key);
  const { type: kind, ...grammar } = asObject(format) ?? {};
  const nested = kind === 'grammar' ? { type: kind, grammar } : format;
  const said = Object.entries({ name, description, format: nested }).filter(([, value]) => value !== undefined && value !== null);
  return { kind: 'hosted', name: 'custom', dialect: chat, raw: { type, custom: Object.fromEntries(said) } };
}

/** What `openai-chat` calls a call of such a tool, and the message with its result, among its own parts. */
const chatCall = 'tool_calls.custom';
const chatResult = 'tool.custom';
const flatCall = 'custom_tool_call';
const flatResult = 'custom_tool_call_output';

/** The ids of such calls in a message of `openai-chat`. */
export function customCallId(part: Part): string {
  return part.kind === 'foreign' && part.dialect === chat && part.name === chatCall ? asText(part.raw.id) : '';
}

/** A message of `openai-chat` with the result of such a call, as a part. */
export function customResult(message: JsonObject): ForeignPart {
  return { kind: 'foreign', dialect: chat, name: chatResult, raw: message };
}

export function isCustomResult(part: Part): part is ForeignPart {
  return part.kind === 'foreign' && part.dialect === chat && part.name === chatResult;
}

/** One in the spelling of `openai-responses`. */
export type CustomCall = ForeignPart & { readonly name: typeof flatCall };

/** A call that its item leaves to a program is none of those. */
export function isCustomCall(part: Part): part is CustomCall {
  if (part.kind !== 'foreign' || part.dialect !== responses || part.name !== flatCall) return false;
  return (asObject(part.raw.caller)?.type ?? 'direct') === 'direct';
}

/** What the model wrote of such a call, in either spelling. */
export function customText(part: ForeignPart): string {
  const flat = partToResponses(part);
  return flat.kind === 'foreign' && isCustomCall(flat) ? asText(flat.raw.name) + asText(flat.raw.input) : '';
}

export function partToResponses(part: Part): Part {
  if (part.kind !== 'foreign' || part.dialect !== chat) return part;
  const { id, custom, tool_call_id, content } = part.raw;
  const inner = asObject(custom);
  if (part.name === chatCall && inner !== undefined) {
    return foreign(responses, flatCall, { call_id: asText(id), name: asText(inner.name), input: asText(inner.input) });
  }
  if (part.name !== chatResult) return part;
  return foreign(responses, flatResult, { call_id: asText(tool_call_id), output: renamed(content, 'input_text') });
}

export function partToChat(part: Part, lose: Lose): Part {
  if (part.kind !== 'foreign' || part.dialect !== responses) return part;
  // `openai-chat` has no name spaces.
  if (isCustomCall(part) && asText(part.raw.namespace) === '') {
    const { call_id, id, name, input } = part.raw;
    const raw = { id: asText(call_id) || asText(id), type: 'custom', custom: { name: asText(name), input: asText(input) } };
    return { kind: 'foreign', dialect: chat, name: chatCall, raw };
  }
  if (part.name !== flatResult) return part;
  const { call_id, output } = part.raw;
  for (const { type } of asObjects(output)) if (type !== 'input_text') lose(asText(type).replace(/^input_/, ''));
  return customResult({ role: 'tool', tool_call_id: asText(call_id), content: renamed(output, 'text') });
}

function foreign(dialect: string, type: string, fields: JsonObject): ForeignPart {
  return { kind: 'foreign', dialect, name: type, raw: { type, ...fields } };
}

const textTypes: readonly unknown[] = ['text', 'input_text'];

/** A text, or the texts of a list as the other dialect calls them. */
function renamed(content: unknown, type: string): unknown {
  if (!Array.isArray(content)) return asText(content);
  const texts = asObjects(content).filter((piece) => textTypes.includes(piece.type));
  return texts.length === 0 ? '' : texts.map(({ text }) => ({ type, text: asText(text) }));
}

/** `tool_choice` of one such tool in the other dialect; undefined = it is something else. */
export function customChoice(extra: ChatRequest['extra'], to: typeof chat | typeof responses): JsonObject | undefined {
  const name = customChoiceName(extra);
  if (name === undefined || extra?.dialect === to) return undefined;
  return to === chat ? { type: 'custom', custom: { name } } : { type: 'custom', name };
}

/** The one such tool that must be called; undefined = the choice is something else. */
export function customChoiceName(extra: ChatRequest['extra']): string | undefined {
  const choice = asObject(extra?.fields.tool_choice);
  return choice?.type === 'custom' ? asText(asObject(choice.custom)?.name ?? choice.name) : undefined;
}

/** The request with those of its tools alone that may be called now, for dialects that cannot tell which these are. */
export function onlyAllowed(request: ChatRequest): ChatRequest {
  const { allowedTools, ...rest } = request;
  if (allowedTools === undefined) return request;
  const allowed = new Set(allowedTools);
  return { ...rest, tools: request.tools.filter((tool) => allowed.has(choosableName(tool))) };
}

/** The request without a choice of a tool that its upstream runs itself: another one is not offered that, and refuses the choice. */
export function withoutHostedChoice(request: ChatRequest): ChatRequest {
  const { toolChoice, ...rest } = request;
  if (typeof toolChoice !== 'object') return request;
  const [chosen] = request.tools.filter(({ name }) => name === toolChoice.name);
  return chosen?.kind === 'hosted' ? rest : request;
}
