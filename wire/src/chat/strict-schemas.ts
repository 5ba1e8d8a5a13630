import { asObject, type JsonObject } from '../json.ts';
import type { Losses } from './losses.ts';
import type { ChatRequest, Tool } from './request.ts';

/** What OpenAI's dialects refuse in a schema that a model is held to, while others take it. */
const refused: readonly string[] = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'default', 'prefixItems', 'patternProperties', 'propertyNames'],
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems', 'contains', 'uniqueItems'],
];
const formats: readonly unknown[] = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const maxDepth = 64;

/**
 * A caller of another dialect may hold a model to schemas that OpenAI's dialects refuse as strict: members that may be
 * left out above all. Those go as schemas that are meant, and `strict` is lost. Returns the same request where all fit.
 */
export function withFittingStrict(request: ChatRequest, lose: Losses['lose']): ChatRequest {
  const { extra, output, tools } = request;
  if (extra === undefined || extra.dialect.startsWith('openai-')) return request;
  const isOdd = (strict: boolean | undefined, schema: JsonObject | undefined) => strict === true && !fits(schema ?? {});
  const isOddTool = (tool: Tool) => tool.kind === 'function' && isOdd(tool.strict, tool.parameters);
  const isOddOutput = output?.kind === 'schema' && isOdd(output.strict, output.schema);
  if (!isOddOutput && !tools.some(isOddTool)) return request;
  lose('strict');
  return {
    ...request,
    tools: tools.map((tool) => (isOddTool(tool) ? { ...tool, strict: false } : tool)),
    ...(isOddOutput ? { output: { ...output, strict: false } } : {}),
  };
}

/** The outermost schema is that of an object, and no choice between several. */
function fits(schema: JsonObject): boolean {
  return schema.type === 'object' && schema.anyOf === undefined && isStrict(schema, 0);
}

function isStrict(schema: unknown, depth: number): boolean {
  const node = asObject(schema);
  if (node === undefined || depth > maxDepth) return false;
  const { properties, required, format } = node;
  if (refused.some((key) => key in node) || (format !== undefined && !formats.includes(format))) return false;
  const named = Object.keys(asObject(properties) ?? {});
  const isObject = properties !== undefined || [node.type].flat().includes('object');
  const kept = new Set<unknown>(Array.isArray(required) ? required : []);
  const isWhole = named.every((name) => kept.has(name));
  if (isObject && (node.additionalProperties !== false || !isWhole)) return false;
  return innerOf(node).every((inner) => isStrict(inner, depth + 1));
}

function innerOf({ properties, $defs, definitions, items, anyOf }: JsonObject): unknown[] {
  const byName = [properties, $defs, definitions].flatMap((schemas) => Object.values(asObject(schemas) ?? {}));
  return [...byName, ...(items === undefined ? [] : [items]), ...(Array.isArray(anyOf) ? anyOf : [])];
}
