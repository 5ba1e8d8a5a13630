import { choosableName, isCustomCall } from '../chat/custom-tools.ts';
import { createFreeNames } from '../chat/free-names.ts';
import type { Extra, ForeignPart, Part, ToolCallPart } from '../chat/parts.ts';
import type { ChatRequest, Tool } from '../chat/request.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { decodeTool } from './tools.ts';
import { dialectName } from './types.ts';

/** A call as the caller named it. */
type Called = Pick<ToolCallPart, 'name' | 'extra'>;

/** A request whose tools stand in no name space. */
export interface Flattened {
  readonly request: ChatRequest;
  /** What the caller calls a tool that the answer calls. */
  called(name: string): Called;
}

/**
 * A request for dialects without name spaces: what one holds stands beside the other functions, under a name of both, as
 * earlier calls of it do. Agents offer the tools of their servers so. Undefined = there is none.
 */
export function withoutNamespaces(request: ChatRequest): Flattened | undefined {
  const { tools, messages } = request;
  const isSpaced = tools.some(isNamespace) || messages.some(({ parts }) => parts.some((part) => spaceOf(part) !== ''));
  if (!isSpaced) return undefined;
  const freeName = createFreeNames(new Set(tools.map(choosableName)));
  const spelled = new Map<string, string>();
  const homes = new Map<string, Called>();
  const nameOf = (space: string, name: string): string => {
    const key = JSON.stringify([space, name]);
    const known = spelled.get(key);
    if (known !== undefined) return known;
    const joined = freeName(space.endsWith('__') ? space + name : `${space}__${name}`);
    spelled.set(key, joined);
    homes.set(joined, { name, extra: { dialect: dialectName, fields: { namespace: space } } });
    return joined;
  };
  const flat = (part: Part): Part => {
    const space = spaceOf(part);
    if (space === '') return part;
    if (part.kind === 'tool-call') return unspaced(part, nameOf(space, part.name));
    return isCustomCall(part) ? unspacedText(part, nameOf(space, asText(part.raw.name))) : part;
  };
  return {
    request: {
      ...request,
      tools: tools.flatMap((tool) => (isNamespace(tool) ? unpacked(tool.raw, nameOf) : tool)),
      messages: messages.map((message) => ({ ...message, parts: message.parts.map(flat) })),
    },
    called: (name) => homes.get(name) ?? { name },
  };
}

function isNamespace(tool: Tool): tool is Extract<Tool, { kind: 'hosted' }> {
  return tool.kind === 'hosted' && tool.dialect === dialectName && tool.name === 'namespace';
}

const callable: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** What may be called of it by name; what else it holds stays in it. */
function unpacked(raw: JsonObject, nameOf: (space: string, name: string) => string): Tool[] {
  const inner = asObjects(raw.tools);
  const others = inner.filter(({ type }) => !callable.has(type));
  const functions = inner
    .filter(({ type }) => callable.has(type))
    .map((tool) => decodeTool({ ...tool, name: nameOf(asText(raw.name), asText(tool.name)) }));
  return others.length === 0 ? functions : [...functions, decodeTool({ ...raw, tools: others })];
}

/** The name space of a call; "" = it is none, or stands in none. */
function spaceOf(part: Part): string {
  if (isCustomCall(part)) return asText(part.raw.namespace);
  return part.kind === 'tool-call' && part.extra?.dialect === dialectName ? asText(part.extra.fields.namespace) : '';
}

function unspaced({ extra, ...call }: ToolCallPart, name: string): ToolCallPart {
  const { namespace: _, ...fields } = extra?.fields ?? {};
  const rest: Extra | undefined = Object.keys(fields).length === 0 ? undefined : { dialect: dialectName, fields };
  return { ...call, name, ...(rest === undefined ? {} : { extra: rest }) };
}

function unspacedText({ raw: { namespace: _, ...raw }, ...part }: ForeignPart, name: string): ForeignPart {
  return { ...part, raw: { ...raw, name } };
}
