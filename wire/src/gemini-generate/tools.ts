import type { ChatRequest, Tool } from '../chat/request.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { ownExtra, restored } from './extra.ts';
import { camelKeys, given, listOf, textsOf } from './fields.ts';
import { cleanSchema, hasArguments, readSchema } from './schema.ts';
import { dialectName } from './types.ts';

type FunctionTool = Extract<Tool, { kind: 'function' }>;

/** Functions that callers of other dialects declare to get a tool that the upstream runs itself (contract 6.13). */
const pseudoFunctions = ['googleSearch', 'codeExecution', 'urlContext'];

/** Reads `tools`. */
export function readTools(raw: unknown): Tool[] {
  return listOf(raw).flatMap((item) =>
    Object.entries(camelKeys(item)).flatMap(([name, value]): Tool[] => {
      if (name === 'functionDeclarations') return listOf(value).map(readFunction);
      return [{ kind: 'hosted', name, dialect: dialectName, raw: { [name]: value } }];
    }),
  );
}

function readFunction(declaration: JsonObject): FunctionTool {
  const { name, description, parameters, parametersJsonSchema, ...rest } = camelKeys(declaration);
  const open = asObject(parameters);
  const schema = asObject(parametersJsonSchema) ?? (open === undefined ? undefined : readSchema(open));
  return {
    kind: 'function',
    name: asText(name),
    ...(typeof description === 'string' ? { description } : {}),
    ...(schema === undefined ? {} : { parameters: schema }),
    ...given('extra', ownExtra(rest)),
  };
}

/** Spells tools: neighbouring functions share one list. `own` = the request came in this dialect. */
export function writeTools(request: ChatRequest, own: JsonObject | undefined, losses: Set<string>): JsonObject[] {
  const out: JsonObject[] = [];
  let open: JsonObject[] | undefined;
  for (const tool of request.tools) {
    const hosted = hostedTool(tool, own !== undefined, losses);
    if (hosted !== undefined) {
      out.push(hosted);
      open = undefined;
    } else if (tool.kind === 'function') {
      if (open === undefined) {
        open = [];
        out.push({ functionDeclarations: open });
      }
      open.push(own === undefined ? foreignFunction(tool, losses) : ownFunction(tool, losses));
    }
  }
  return out;
}

function hostedTool(tool: Tool, isOwn: boolean, losses: Set<string>): JsonObject | undefined {
  if (tool.kind === 'function') return !isOwn && pseudoFunctions.includes(tool.name) ? { [tool.name]: {} } : undefined;
  if (tool.dialect === dialectName) return tool.raw;
  losses.add(`hosted_tool:${tool.name}`);
  return undefined;
}

/** As JSON schema, which says all that either of the dialect's two spellings can say. */
function ownFunction({ name, description, parameters, extra }: FunctionTool, losses: Set<string>): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parametersJsonSchema: parameters }),
    ...restored(extra, losses),
  };
}

function foreignFunction(tool: FunctionTool, losses: Set<string>): JsonObject {
  const { name, description, parameters, strict, cache, extra } = tool;
  restored(extra, losses);
  if (strict === true) losses.add('strict');
  if (cache !== undefined) losses.add('cache_control');
  const { schema, isLossy } = cleanSchema(parameters ?? {});
  if (isLossy) losses.add('json_schema');
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(hasArguments(schema) ? { parameters: { ...schema, type: 'object' } } : {}),
  };
}

const choices: Readonly<Record<string, 'auto' | 'required'>> = { AUTO: 'auto', VALIDATED: 'auto', ANY: 'required' };

type Choice = Pick<ChatRequest, 'toolChoice' | 'allowedTools'>;

/** Reads `toolConfig`; what a choice cannot say stays in `extra`, too. */
export function readToolChoice(raw: unknown, extra: JsonObject): Choice {
  const object = asObject(raw);
  if (object === undefined) return {};
  const { functionCallingConfig, ...rest } = camelKeys(object);
  const { mode, allowedFunctionNames, ...more } = camelKeys(asObject(functionCallingConfig) ?? {});
  const names = textsOf(allowedFunctionNames);
  const word = asText(mode).toUpperCase();
  const [name = ''] = names;
  const isPlain = Object.keys(rest).length + Object.keys(more).length === 0 && (word === 'ANY' || names.length === 0);
  if (!isPlain || !['AUTO', 'NONE', 'ANY'].includes(word)) extra.toolConfig = object;
  if (word === 'NONE') return { toolChoice: 'none' };
  if (word === 'ANY' && names.length === 1) return { toolChoice: { name } };
  const toolChoice = choices[word];
  if (toolChoice === undefined || names.length === 0) return word === 'VALIDATED' ? {} : given('toolChoice', toolChoice);
  return { toolChoice, allowedTools: names };
}

/** Spells a choice, which is refused where `tools` declare no function; what came in this dialect goes out as it was. */
export function writeToolChoice(
  { toolChoice: choice, allowedTools }: Choice,
  tools: readonly JsonObject[],
  own: JsonObject | undefined,
): JsonObject | undefined {
  const kept = asObject(own?.toolConfig);
  if (kept !== undefined) return kept;
  const declares = tools.some(({ functionDeclarations }) => functionDeclarations !== undefined);
  if (choice === undefined || (own === undefined && !declares)) return undefined;
  if (typeof choice === 'object') return calling({ mode: 'ANY', allowedFunctionNames: [choice.name] });
  const allowed = choice === 'required' && allowedTools !== undefined ? { allowedFunctionNames: allowedTools } : {};
  return calling({ mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice], ...allowed });
}

function calling(functionCallingConfig: JsonObject): JsonObject {
  return { functionCallingConfig };
}
