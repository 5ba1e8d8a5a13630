import {
  choosableName,
  customChoiceName,
  customToResponses,
  isCustom,
  isCustomCall,
  partToResponses,
} from '../chat/custom-tools.ts';
import { createLosses, type Losses } from '../chat/losses.ts';
import type { ForeignPart, Part, ToolCallPart } from '../chat/parts.ts';
import type { ChatRequest, Tool } from '../chat/request.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import { callHead, decodeResult } from './decode-items.ts';
import { dialectName } from './types.ts';

/** The only argument of a function that stands for a tool which takes a text. */
const argument = 'input';

/** A request whose tools are functions alone. */
export interface AsFunctions {
  readonly request: ChatRequest;
  readonly losses: readonly string[];
  /** Does the function stand for a tool that takes a text? */
  takesText(name: string): boolean;
}

/**
 * A request for dialects without tools that take a text: each is a function with the text as its argument there, as are
 * earlier calls of it. Agents run commands by them. Undefined = there is none.
 */
export function withoutTextTools(asked: ChatRequest): AsFunctions | undefined {
  const request = customToResponses(asked);
  const called = request.messages.some(({ parts }) => parts.some(isCustomCall));
  const names = new Set(request.tools.filter(isTextTool).map(choosableName));
  if (!called && names.size === 0) return undefined;
  const losses = createLosses();
  const others = callsOfOthers(request);
  const plain = (part: Part): Part => (part.kind === 'foreign' ? plainPart(part, others) : part);
  return {
    request: {
      ...withPlainChoice(request),
      tools: request.tools.map((tool) => (isTextTool(tool) ? asFunction(tool.raw, losses) : tool)),
      messages: request.messages.map((message) => ({ ...message, parts: message.parts.map(plain) })),
    },
    losses: losses.list(),
    takesText: (name) => names.has(name),
  };
}

function isTextTool(tool: Tool): tool is Extract<Tool, { kind: 'hosted' }> {
  return isCustom(tool) && tool.kind === 'hosted' && tool.dialect === dialectName;
}

/** A grammar is told in words: nobody there holds the model to it. */
function asFunction({ type: _, name, description, format, ...rest }: JsonObject, { lose }: Losses): Tool {
  for (const [key, value] of Object.entries(rest)) if (value !== null) lose(key);
  const { syntax, definition } = asObject(format) ?? {};
  if (definition !== undefined) lose('grammar');
  const rule = definition === undefined ? '' : ` It must match this ${asText(syntax)} grammar:\n${asText(definition)}`;
  const text = { type: 'string', description: `The whole text that the tool takes, as it is.${rule}` };
  return {
    kind: 'function',
    name: asText(name),
    ...(asText(description) === '' ? {} : { description: asText(description) }),
    parameters: { type: 'object', properties: { [argument]: text }, required: [argument] },
  };
}

function withPlainChoice(request: ChatRequest): ChatRequest {
  const { extra } = request;
  const name = customChoiceName(extra);
  if (name === undefined || extra === undefined) return request;
  const { tool_choice: _, ...fields } = extra.fields;
  return { ...request, toolChoice: { name }, extra: { ...extra, fields } };
}

const callType = 'custom_tool_call';
const resultType = 'custom_tool_call_output';

/** The ids of calls that no function stands for: their results would answer calls that nobody made. */
function callsOfOthers({ messages }: ChatRequest): ReadonlySet<unknown> {
  const isOther = (part: Part) => part.kind === 'foreign' && part.name !== resultType && !isCustomCall(part);
  return new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => ('raw' in part && isOther(part) ? [part.raw.call_id] : []))),
  );
}

function plainPart(part: ForeignPart, others: ReadonlySet<unknown>): Part {
  const { raw, proof } = part;
  if (isCustomCall(part)) return { ...callHead(raw), arguments: JSON.stringify({ [argument]: asText(raw.input) }), ...proof };
  const isResult = part.dialect === dialectName && part.name === resultType && !others.has(raw.call_id);
  return isResult ? decodeResult(raw) : part;
}

/** A call of such a function as the call of the tool that it is. What is no argument of it is the model's text as it stands. */
export function textCall({ id, name, arguments: written, extra, signature, dialect = '' }: ToolCallPart): ForeignPart {
  const input = parseObject(written)?.[argument];
  const own = extra?.dialect === dialectName ? extra.fields : {};
  const raw = { type: callType, call_id: id, name, input: typeof input === 'string' ? input : written, ...own };
  const proof = signature === undefined ? {} : { proof: { signature, dialect } };
  return { kind: 'foreign', dialect: dialectName, name: callType, raw, ...proof };
}

/** A call of a tool that takes a text, as the caller names it; any other part as it is. */
export function renamedTextCall(part: Part, called: (name: string) => Pick<ToolCallPart, 'name' | 'extra'>): Part {
  const call = partToResponses(part);
  if (!isCustomCall(call)) return part;
  const { name, extra } = called(asText(call.raw.name));
  return extra === undefined ? part : { ...call, raw: { ...call.raw, name, ...extra.fields } };
}
