import type { Losses } from '../chat/losses.ts';
import type { ChatRequest, OutputFormat, Tool, ToolChoice } from '../chat/request.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { ownFields } from './extra.ts';
import { dialectName } from './types.ts';

/** Functions as such, everything else (custom, hosted, name spaces) as hosted. */
export function decodeTool(raw: JsonObject): Tool {
  const { type, name, description, parameters, strict, ...rest } = raw;
  if (type !== 'function') return { kind: 'hosted', name: asText(type) || 'tool', dialect: dialectName, raw };
  const more = Object.entries(rest).filter(([, value]) => value !== null);
  const schema = asObject(parameters);
  return {
    kind: 'function',
    name: asText(name),
    ...(asText(description) === '' ? {} : { description: asText(description) }),
    ...(schema === undefined ? {} : { parameters: schema }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(more.length === 0 ? {} : { extra: { dialect: dialectName, fields: Object.fromEntries(more) } }),
  };
}

/**
 * A tool as this dialect spells it; undefined and a loss for another dialect's own. Without a word on strictness this
 * dialect tries to be strict, all others are not: `isOwn` says which meaning the silence has.
 */
export function encodeTool(tool: Tool, isOwn: boolean, losses: Losses): JsonObject | undefined {
  if (tool.kind === 'hosted') {
    if (tool.dialect === dialectName) return tool.raw;
    losses.lose(`hosted_tool:${tool.name}`);
    return undefined;
  }
  if (tool.cache !== undefined) losses.lose('cache_control');
  const strict = tool.strict ?? (isOwn ? undefined : false);
  return {
    type: 'function',
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: tool.parameters ?? (isOwn ? null : { type: 'object', properties: {} }),
    ...(strict === undefined ? {} : { strict }),
    ...ownFields(tool.extra, losses),
  };
}

/** Undefined = a choice the IR has no word for (allowed tools, a hosted one). */
export function decodeChoice(raw: unknown): ToolChoice | undefined {
  if (raw === 'auto' || raw === 'none' || raw === 'required') return raw;
  const object = asObject(raw);
  return object?.type === 'function' ? { name: asText(object.name) } : undefined;
}

export function encodeChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}

/** `text.format`; plain text is undefined. */
export function decodeFormat(raw: unknown): OutputFormat | undefined {
  const format = asObject(raw);
  if (format?.type === 'json_object') return { kind: 'json' };
  if (format?.type !== 'json_schema') return undefined;
  const description = asText(format.description);
  return {
    kind: 'schema',
    name: asText(format.name),
    schema: asObject(format.schema) ?? {},
    ...(typeof format.strict === 'boolean' ? { strict: format.strict } : {}),
    ...(description === '' ? {} : { description }),
  };
}

export function encodeFormat(output: ChatRequest['output']): JsonObject {
  if (output === undefined) return { type: 'text' };
  if (output.kind === 'json') return { type: 'json_object' };
  const { name, schema, strict, description } = output;
  return {
    type: 'json_schema',
    name: name || 'answer',
    schema,
    ...(strict === undefined ? {} : { strict }),
    ...(description === undefined ? {} : { description }),
  };
}
