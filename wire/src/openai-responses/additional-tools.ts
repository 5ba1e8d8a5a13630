import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Tool } from '../chat/request.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { decodeTool } from './tools.ts';
import { additionalTools, dialectName } from './types.ts';

/** A request for dialects that know one list of tools alone: those that are offered within the conversation stand there, too. */
export function withAdditionalTools(request: ChatRequest): ChatRequest {
  const { messages } = request;
  if (!messages.some(({ parts }) => parts.some(offers))) return request;
  const tools = new Map(request.tools.map((tool) => [keyOf(tool), tool]));
  for (const { parts } of messages)
    for (const { raw } of parts.filter(offers))
      for (const tool of asObjects(raw.tools).map(decodeTool)) tools.set(keyOf(tool), tool);
  const said = messages.map((message) => ({ ...message, parts: message.parts.filter((part) => !offers(part)) }));
  return { ...request, tools: [...tools.values()], messages: said.filter(({ parts }) => parts.length > 0) };
}

function offers(part: Part): part is Extract<Part, { kind: 'foreign' }> & { readonly raw: JsonObject } {
  return part.kind === 'foreign' && part.dialect === dialectName && part.name === additionalTools;
}

/** Offered once more it is the later one. */
function keyOf(tool: Tool): string {
  return tool.kind === 'function' ? `function ${tool.name}` : `${tool.name} ${asText(tool.raw.name)}`;
}
