import type { MockRequest } from '../../records.ts';
import type { Facts, Piece, ToolFact, Turn } from '../facts.ts';
import { sizeText } from '../facts.ts';
import * as strict from '../strict.ts';
import { checkSchema } from './schema.ts';

const configKeys =
  'stopSequences responseMimeType responseSchema responseJsonSchema responseModalities candidateCount maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs enableEnhancedCivicAnswers speechConfig imageConfig thinkingConfig mediaResolution';

/** A generateContent request, refused as its vendor refuses. */
export function readGemini(request: MockRequest): Facts {
  const { json, headers, path } = request;
  if (!headers['x-goog-api-key']) throw new strict.VendorError(401, 'no key');
  const body = strict.only(
    json,
    'body',
    'contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent',
  );
  const config = body.generationConfig === undefined ? {} : strict.only(body.generationConfig, 'generationConfig', configKeys);
  const turns = strict.list(body.contents, 'contents').map(readContent);
  if (turns.length === 0) strict.refuse('contents is not specified');
  checkCalls(turns);
  const tools = strict.some(body.tools, 'tools').flatMap(readTools);
  if (tools.length > 0 && config.responseMimeType === 'application/json' && /gemini-[12]/.test(path))
    strict.refuse("Function calling with a response mime type: 'application/json' is unsupported");
  if (config.logprobs !== undefined && config.responseLogprobs !== true) strict.refuse('logprobs: needs responseLogprobs');
  const stop = strict.some(config.stopSequences, 'stopSequences').map((each) => strict.filled(each, 'stopSequences'));
  if (stop.length > 5) strict.refuse('stopSequences: at most 5');
  return {
    model: decodeURIComponent(/models\/([^:?]+):/.exec(path)?.[1] ?? ''),
    stream: path.includes(':streamGenerateContent'),
    system: readSystem(body.systemInstruction),
    turns,
    tools,
    choice: readChoice(body.toolConfig, tools),
    isParallel: true,
    cap: strict.whole(config.maxOutputTokens, 'maxOutputTokens', 1),
    temperature: strict.number(config.temperature, 'temperature', 0, 2),
    topP: strict.number(config.topP, 'topP', 0, 1),
    topK: strict.whole(config.topK, 'topK', 1),
    seed: strict.whole(config.seed, 'seed', -(2 ** 31), 2 ** 31 - 1),
    stop,
    choices: strict.whole(config.candidateCount, 'candidateCount', 1, 8) ?? 1,
    logprobs: config.responseLogprobs === true ? (strict.whole(config.logprobs, 'logprobs', 0, 20) ?? 0) : undefined,
    thinking: readThinking(config.thinkingConfig, decodeURIComponent(path)),
    schema: readFormat(config),
    marks: [],
    speaks: false,
    wantsUsage: true,
  };
}

function readSystem(instruction: unknown): string {
  if (instruction === undefined) return '';
  const { parts } = strict.only(instruction, 'systemInstruction', 'parts role');
  return strict
    .list(parts, 'systemInstruction.parts')
    .map((part) => strict.filled(strict.only(part, 'part', 'text').text, 'text'))
    .join('\n');
}

function readThinking(each: unknown, model: string): Facts['thinking'] {
  if (each === undefined) return undefined;
  const config = strict.only(each, 'thinkingConfig', 'includeThoughts thinkingBudget thinkingLevel');
  if (config.thinkingBudget !== undefined && config.thinkingLevel !== undefined)
    strict.refuse('thinkingConfig: budget and level exclude each other');
  const budget = strict.whole(config.thinkingBudget, 'thinkingBudget', -1, model.includes('flash') ? 24_576 : 32_768);
  if (model.includes('2.5-pro') && budget !== undefined && budget >= 0 && budget < 128)
    strict.refuse(`Budget ${budget} is invalid. This model only works in thinking mode.`);
  const effort =
    config.thinkingLevel === undefined
      ? undefined
      : strict
          .oneOf<string>(config.thinkingLevel, 'thinkingLevel', 'minimal low medium high MINIMAL LOW MEDIUM HIGH')
          .toLowerCase();
  if (effort === 'minimal' && /-pro|3\.[78]-flash/.test(model))
    strict.refuse('Thinking level is unsupported: THINKING_LEVEL_MINIMAL');
  return { budget, effort: budget === 0 ? 'none' : effort, isShown: config.includeThoughts === true };
}

function readFormat(config: strict.Json): strict.Json | undefined {
  const schema = config.responseJsonSchema ?? config.responseSchema;
  if (schema !== undefined && config.responseMimeType !== 'application/json')
    strict.refuse('responseSchema: only with responseMimeType application/json');
  if (config.responseSchema !== undefined) checkSchema(config.responseSchema, 'responseSchema');
  if (schema !== undefined) return strict.object(schema, 'responseSchema');
  return config.responseMimeType === 'application/json' ? {} : undefined;
}

function readContent(each: unknown, k: number): Turn {
  const content = strict.only(each, `contents[${k}]`, 'role parts');
  const role = strict.oneOf<string>(content.role ?? 'user', `contents[${k}].role`, 'user model');
  const parts = strict.list(content.parts, `contents[${k}].parts`);
  if (parts.length === 0) strict.refuse(`contents[${k}].parts: must include at least one parts field`);
  return { role: role === 'model' ? 'assistant' : 'user', pieces: parts.map((part) => readPart(part, `contents[${k}]`)) };
}

function readPart(each: unknown, path: string): Piece {
  const part = strict.only(
    each,
    path,
    'text thought thoughtSignature inlineData fileData functionCall functionResponse videoMetadata mediaResolution',
  );
  const signature = part.thoughtSignature === undefined ? '' : strict.base64(part.thoughtSignature, `${path}.thoughtSignature`);
  if (part.thought === true) return { thought: strict.text(part.text, path), signature };
  if (part.text !== undefined) return { text: strict.text(part.text, path) };
  if (part.inlineData !== undefined) return readInline(part.inlineData, path);
  if (part.fileData !== undefined) return readFile(part.fileData, path);
  if (part.functionCall !== undefined) {
    const { name, args, id } = strict.only(part.functionCall, path, 'name args id');
    return { call: functionName(name, path), args: args ?? {}, id: String(id ?? '') };
  }
  const { name, response, id } = strict.only(part.functionResponse, path, 'name response id parts willContinue scheduling');
  const result = strict.object(response, `${path}.response`);
  const said = result.output ?? result.result ?? result.content ?? result.error;
  return {
    result: typeof said === 'string' ? said : JSON.stringify(result),
    id: String(id ?? functionName(name, path)),
    isError: result.error !== undefined,
  };
}

function functionName(name: unknown, path: string): string {
  return strict.matching(name, `${path}.name`, /^[a-zA-Z_][\w.:-]{0,127}$/);
}

function readInline(inline: unknown, path: string): Piece {
  const { mimeType, data } = strict.only(inline, path, 'mimeType data displayName');
  const size = sizeText(
    strict.matching(mimeType, `${path}.mimeType`, /^(image|audio|video|application|text)\//),
    strict.base64(data, path),
  );
  return mediaPiece(String(mimeType), size);
}

/** Addresses of the vendor's own store, of its cloud, or of a public video. */
function readFile(file: unknown, path: string): Piece {
  const { fileUri, mimeType } = strict.only(file, path, 'fileUri mimeType displayName');
  return mediaPiece(String(mimeType ?? ''), strict.filled(fileUri, `${path}.fileUri`));
}

function mediaPiece(mediaType: string, value: string): Piece {
  if (mediaType.startsWith('image/')) return { image: value };
  return mediaType.startsWith('audio/') ? { sound: value } : { file: value };
}

/** A turn of calls is followed by a turn with as many responses. */
function checkCalls(turns: readonly Turn[]): void {
  for (const [k, { pieces }] of turns.entries()) {
    const calls = pieces.filter((piece) => 'call' in piece).length;
    const answers = turns[k + 1]?.pieces.filter((piece) => 'result' in piece).length ?? 0;
    const results = pieces.filter((piece) => 'result' in piece).length;
    const before = turns[k - 1]?.pieces.filter((piece) => 'call' in piece).length ?? 0;
    if (calls > 0 && calls !== answers)
      strict.refuse(
        'the number of function response parts must equal the number of function call parts of the function call turn',
      );
    if (results > 0 && before === 0) strict.refuse('a function response turn must come immediately after a function call turn');
    if (calls > 0 && turns[k - 1]?.role !== 'user')
      strict.refuse('a function call turn must come immediately after a user turn or a function response turn');
  }
}

function readTools(each: unknown): ToolFact[] {
  const { functionDeclarations } = strict.only(each, 'tools', 'functionDeclarations');
  return strict.some(functionDeclarations, 'functionDeclarations').map((declaration): ToolFact => {
    const { name, description, parameters, parametersJsonSchema } = strict.only(
      declaration,
      'functionDeclarations',
      'name description parameters parametersJsonSchema response responseJsonSchema behavior',
    );
    if (parameters !== undefined) checkSchema(parameters, 'parameters');
    const schema = (parametersJsonSchema ?? parameters ?? { type: 'object', properties: {} }) as strict.Json;
    return {
      name: functionName(name, 'functionDeclarations'),
      description: strict.text(description ?? '', 'description'),
      schema,
    };
  });
}

function readChoice(each: unknown, tools: readonly ToolFact[]): Facts['choice'] {
  const config =
    each === undefined
      ? {}
      : strict.only(each, 'toolConfig', 'functionCallingConfig retrievalConfig includeServerSideToolInvocations');
  if (config.functionCallingConfig === undefined) return 'auto';
  if (tools.length === 0) strict.refuse('functionCallingConfig: no function is declared');
  const { mode, allowedFunctionNames } = strict.only(
    config.functionCallingConfig,
    'functionCallingConfig',
    'mode allowedFunctionNames streamFunctionCallArguments',
  );
  const kind = strict.oneOf<string>(mode ?? 'AUTO', 'functionCallingConfig.mode', 'AUTO ANY NONE VALIDATED MODE_UNSPECIFIED');
  const names = strict.some(allowedFunctionNames, 'allowedFunctionNames').map(String);
  if (names.length > 0 && kind !== 'ANY' && kind !== 'VALIDATED') strict.refuse('allowedFunctionNames: only with mode ANY');
  for (const name of names)
    if (!tools.some((tool) => tool.name === name)) strict.refuse(`allowedFunctionNames: ${name} is not declared`);
  if (names[0] !== undefined && names.length === 1) return { name: names[0] };
  return kind === 'ANY' ? 'required' : kind === 'NONE' ? 'none' : 'auto';
}
