import { routes } from '@tollgate/contract';
import { type ApiOperation, describeApi, type JsonSchema } from '@tollgate/contract/openapi.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Held {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
  /** Undefined = the answer has no `data`, or is a file. */
  readonly schema: JsonSchema | undefined;
  readonly isFile: boolean;
  validate?: ValidateFunction;
}

const document = describeApi({ version: '', language: 'en' });
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(closed(document.components) as object, 'components');
const held = Object.entries(routes)
  .flatMap(([group, members]) => Object.entries(members).map(([name, route]) => heldOf(`${group}.${name}`, route)))
  // As the server looks for them: what is written out goes before what stands for anything.
  .sort((a, b) => Number(a.path.source.includes('[^')) - Number(b.path.source.includes('[^')));
const seen = new Set<string>();

type Described = { readonly schema: { readonly $ref?: string; readonly properties?: { readonly data?: JsonSchema } } };

function heldOf(id: string, { method, path }: { readonly method: string; readonly path: string }): Held {
  const operations = document.paths[path.replace(/:(\w+)/g, '{$1}')] as Readonly<Record<string, ApiOperation>> | undefined;
  const answer = operations?.[method.toLowerCase()]?.responses[200] as { content: Record<string, Described> } | undefined;
  if (answer === undefined) throw new Error(`${id} is not described`);
  const { $ref, properties } = answer.content['application/json']?.schema ?? {};
  const shape = new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`);
  return { id, method, path: shape, schema: properties?.data, isFile: $ref === undefined && properties === undefined };
}

/**
 * How the answer of a route differs from what the description of the API says of it; undefined = not at all. Stricter than
 * that: a field that it does not name is a difference.
 */
export function shapeFault(method: string, address: string, answer: unknown): string | undefined {
  const [path = ''] = address.split('?');
  const one = held.find((route) => route.method === method && route.path.test(path));
  if (one === undefined || one.isFile || !isEnvelope(answer)) return undefined;
  if (answer.success === true) seen.add(one.id);
  if (answer.data === undefined) return undefined;
  if (one.schema === undefined) return `${one.id} says that it has no data`;
  one.validate ??= ajv.compile(closed(one.schema) as object);
  if (one.validate(answer.data)) return undefined;
  const faults = one.validate.errors ?? [];
  return `${one.id}: ${faults.map((fault) => `data${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`).join('; ')}`;
}

/** Routes whose answers were looked at, so that a walk can say what it left out. */
export const shapesSeen: ReadonlySet<string> = seen;

/** A refusal with `data`, too, is read by what the description says of it. */
const isEnvelope = (answer: unknown): answer is { success: unknown; data?: unknown } =>
  typeof answer === 'object' && answer !== null && 'success' in answer;

/** The same, with every object that names its fields closed against others, and references into the added components. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]): [string, unknown] =>
    key === '$ref' ? [key, String(one).replace('#/components/', 'components#/')] : [key, closed(one)],
  );
  const isOpen = !('properties' in value) || 'additionalProperties' in value || typeof value.properties !== 'object';
  const isObject = 'type' in value && value.type === 'object';
  return { ...Object.fromEntries(entries), ...(isObject && !isOpen && { additionalProperties: false }) };
}
