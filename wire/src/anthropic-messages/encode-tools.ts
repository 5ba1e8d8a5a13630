import { argumentsSchema, type ChatRequest, type Tool, type ToolChoice } from '../chat/request.ts';
import { defined, type JsonObject } from '../json.ts';
import { collect, ownFields, writeCache } from './fields.ts';
import type { ModelTraits } from './models.ts';
import { outputSchema, weigh } from './output-schema.ts';
import { dialectName } from './types.ts';

export interface SpelledTools {
  readonly tools?: JsonObject[];
  readonly tool_choice?: JsonObject;
}

interface Target {
  readonly isNative: boolean;
  readonly traits: ModelTraits;
  lose(word: string): void;
}

/** Spells the tools and how they are chosen. */
export function encodeTools(request: ChatRequest, target: Target): SpelledTools {
  const { toolChoice, parallelTools } = request;
  const isSilent = toolChoice === 'none' && !target.isNative && !mentionsTools(request);
  if (isSilent) return {};
  const strict = strictSchemas(request, target);
  const tools = collect(request.tools, (tool) => encodeTool(tool, strict.get(tool), target));
  // Nothing can be chosen where there is nothing.
  if (tools.length === 0 && !target.isNative) return {};
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...defined({ tool_choice: encodeChoice(obeyed(toolChoice, target), parallelTools) }),
  };
}

/** Must the answer call a tool? */
export function isForced({ tools, toolChoice }: ChatRequest, { obeys }: ModelTraits): boolean {
  return obeys && tools.length > 0 && isDemand(toolChoice);
}

function isDemand(choice: ToolChoice | undefined): boolean {
  return choice === 'required' || typeof choice === 'object';
}

/** Where a call cannot be demanded the model chooses. */
function obeyed(choice: ToolChoice | undefined, { isNative, traits, lose }: Target): ToolChoice | undefined {
  if (isNative || traits.obeys || !isDemand(choice)) return choice;
  lose('tool_choice');
  return 'auto';
}

/** A conversation in which tools were used needs their definitions, also when none may be called. */
function mentionsTools({ messages }: ChatRequest): boolean {
  return messages.some(({ parts }) => parts.some(({ kind }) => kind === 'tool-call' || kind === 'tool-result'));
}

/** Over all schemas of a request that a model is held to. */
const most = { tools: 20, optional: 24, unions: 16 };

/** The schemas of foreign tools that can be strict as this dialect takes them; none where together they are too much. */
function strictSchemas({ tools, output }: ChatRequest, { isNative, traits }: Target): ReadonlyMap<Tool, JsonObject> {
  const schemas = new Map<Tool, JsonObject>();
  if (isNative || !traits.structured) return schemas;
  const answer = output?.kind === 'schema' ? weigh(outputSchema(output.schema, () => undefined)) : { optional: 0, unions: 0 };
  let { optional, unions } = answer;
  for (const tool of tools) {
    if (tool.kind !== 'function' || tool.strict !== true) continue;
    let isWhole = true;
    const schema = outputSchema(argumentsSchema(tool.parameters), () => {
      isWhole = false;
    });
    const weight = weigh(schema);
    if (!isWhole || !weight.isPlain) continue;
    schemas.set(tool, schema);
    optional += weight.optional;
    unions += weight.unions;
  }
  const isTooMuch = schemas.size > most.tools || optional > most.optional || unions > most.unions;
  return isTooMuch ? new Map() : schemas;
}

function encodeTool(tool: Tool, strictSchema: JsonObject | undefined, { isNative, lose }: Target): JsonObject | undefined {
  if (tool.kind === 'hosted') {
    if (tool.dialect === dialectName) return tool.raw;
    lose(`hosted_tool:${tool.name}`);
    return undefined;
  }
  const { name, description, parameters, strict, cache, extra } = tool;
  const keepsStrict = isNative || strictSchema !== undefined;
  if (strict === true && !keepsStrict) lose('strict');
  return {
    ...defined({ name, description }),
    input_schema: isNative && parameters !== undefined ? parameters : (strictSchema ?? argumentsSchema(parameters)),
    ...(strict !== undefined && keepsStrict ? { strict } : {}),
    ...ownFields(extra, lose),
    ...writeCache(cache),
  };
}

function encodeChoice(choice: ToolChoice | undefined, parallelTools: boolean | undefined): JsonObject | undefined {
  const alone = parallelTools === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallelTools === false ? { type: 'auto', ...alone } : undefined;
  if (choice === 'none') return { type: 'none' };
  if (choice === 'required') return { type: 'any', ...alone };
  return choice === 'auto' ? { type: 'auto', ...alone } : { type: 'tool', name: choice.name, ...alone };
}
