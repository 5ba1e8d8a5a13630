import type { Extra, Part } from '../chat/parts.ts';
import type { ChatRequest, Tool } from '../chat/request.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { decodeItem, decodeResult } from './decode-items.ts';
import { decodeTool } from './tools.ts';
import { dialectName, isPlainCall } from './types.ts';

/** A call as the caller named it. */
interface Called {
  readonly name: string;
  readonly extra?: Extra;
}

/** A request whose functions stand in no name space. */
export interface Flattened {
  readonly request: ChatRequest;
  /** What the caller calls a function that the answer calls. */
  called(name: string): Called;
}

/**
 * A request for dialects without name spaces: what one holds stands beside the other functions, under a name of both, as
 * earlier calls of it do. Agents offer the tools of their servers so. Undefined = there is none.
 */
export function withoutNamespaces(request: ChatRequest): Flattened | undefined {
  const { tools, messages } = request;
  const isSpaced = tools.some(isNamespace) || messages.some(({ parts }) => parts.some((part) => spacedCall(part) !== undefined));
  if (!isSpaced) return undefined;
  const taken = new Set(tools.map(({ name }) => name));
  const spelled = new Map<string, string>();
  const homes = new Map<string, Called>();
  const nameOf = (space: string, name: string): string => {
    const key = JSON.stringify([space, name]);
    const known = spelled.get(key);
    if (known !== undefined) return known;
    let joined = space.endsWith('__') ? space + name : `${space}__${name}`;
    while (taken.has(joined)) joined += '_';
    taken.add(joined);
    spelled.set(key, joined);
    homes.set(joined, { name, extra: { dialect: dialectName, fields: { namespace: space } } });
    return joined;
  };
  const calls = new Set<unknown>();
  const flat = (part: Part): Part => {
    const call = spacedCall(part);
    if (call !== undefined) {
      calls.add(call.call_id);
      const { namespace, ...plain } = call;
      return decodeItem({ ...plain, name: nameOf(asText(namespace), asText(call.name)) });
    }
    const isResult = part.kind === 'foreign' && part.name === 'function_call_output' && calls.has(part.raw.call_id);
    return isResult ? decodeResult(part.raw) : part;
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

/** Its functions; what else it holds stays in it. */
function unpacked(raw: JsonObject, nameOf: (space: string, name: string) => string): Tool[] {
  const inner = asObjects(raw.tools);
  const others = inner.filter(({ type }) => type !== 'function');
  const functions = inner
    .filter(({ type }) => type === 'function')
    .map((tool) => decodeTool({ ...tool, name: nameOf(asText(raw.name), asText(tool.name)) }));
  return others.length === 0 ? functions : [...functions, decodeTool({ ...raw, tools: others })];
}

/** The call of a function in a name space that a part is. */
function spacedCall(part: Part): JsonObject | undefined {
  if (part.kind !== 'foreign' || part.dialect !== dialectName || asText(part.raw.namespace) === '') return undefined;
  return isPlainCall({ ...part.raw, namespace: '' }) ? part.raw : undefined;
}
