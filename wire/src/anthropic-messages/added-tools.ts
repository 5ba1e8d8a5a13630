import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Tool } from '../chat/request.ts';
import { asObject, asText } from '../json.ts';
import { decodeTool } from './decode-request.ts';
import { dialectName } from './types.ts';

/**
 * A request for dialects that know one list of tools alone: those that are defined within the conversation stand there, too.
 * One that is only named from there on stands there already.
 */
export function withAddedTools(request: ChatRequest): ChatRequest {
  const { messages } = request;
  if (!messages.some(({ parts }) => parts.some(adds))) return request;
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  for (const { parts } of messages) for (const tool of parts.flatMap(definedBy)) tools.set(tool.name, tool);
  const said = messages.map((message) => ({ ...message, parts: message.parts.filter((part) => !adds(part)) }));
  return { ...request, tools: [...tools.values()], messages: said.filter(({ parts }) => parts.length > 0) };
}

/** Ways to name a tool of the request's own. */
const known: ReadonlySet<unknown> = new Set(['tool_definition', 'tool_reference']);

function adds(part: Part): part is Extract<Part, { kind: 'foreign' }> {
  if (part.kind !== 'foreign' || part.dialect !== dialectName || part.name !== 'tool_addition') return false;
  return known.has(asObject(part.raw.tool)?.type);
}

function definedBy(part: Part): Tool[] {
  const definition = adds(part) ? asObject(asObject(part.raw.tool)?.definition) : undefined;
  return definition === undefined || asText(definition.name) === '' ? [] : [decodeTool(definition)];
}
