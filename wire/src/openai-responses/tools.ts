import { choosableName, isCustom } from '../chat/custom-tools.ts';
import type { Losses } from '../chat/losses.ts';
import { argumentsSchema, type ChatRequest, type OutputFormat, type Tool, type ToolChoice } from '../chat/request.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
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
    parameters: isOwn ? (tool.parameters ?? null) : argumentsSchema(tool.parameters),
    ...(strict === undefined ? {} : { strict }),
    ...ownFields(tool.extra, losses),
  };
}

interface Choice {
  readonly toolChoice?: ToolChoice;
  readonly allowedTools?: readonly string[];
}

/** Empty = a choice the IR has no word for (a hosted tool, alone or among those allowed). */
export function decodeChoice(raw: unknown): Choice {
  if (raw === 'auto' || raw === 'none' || raw === 'required') return { toolChoice: raw };
  const object = asObject(raw);
  if (object?.type === 'function') return { toolChoice: { name: asText(object.name) } };
  const { type, mode, tools } = object ?? {};
  const entries = asObjects(tools);
  const isNamed = entries.every((entry) => entry.type === 'function' || entry.type === 'custom');
  if (type !== 'allowed_tools' || (mode !== 'auto' && mode !== 'required') || !isNamed) return {};
  return { toolChoice: mode, allowedTools: entries.map(({ name }) => asText(name)) };
}

export function encodeChoice({ toolChoice = 'auto', allowedTools, tools }: Pick<ChatRequest, 'tools'> & Choice): unknown {
  if (typeof toolChoice !== 'string') return { type: 'function', name: toolChoice.name };
  if (allowedTools === undefined) return toolChoice;
  const custom = new Set(tools.filter(isCustom).map(choosableName));
  const entries = allowedTools.map((name) => ({ type: custom.has(name) ? 'custom' : 'function', name }));
  return { type: 'allowed_tools', mode: toolChoice, tools: entries };
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
