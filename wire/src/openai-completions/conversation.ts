import type { Decoded, Encoded, RequestContext } from '../chat/dialect.ts';
import { createLosses } from '../chat/losses.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest } from '../chat/request.ts';
import { asText, defined, type JsonObject, numberAt } from '../json.ts';
import { routingFields } from '../splice.ts';
import { dialectName } from './name.ts';
import { singlePrompt, wantsUsage } from './request.ts';

/** Fields with a word in the neutral form. */
const known: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'max_tokens',
  'temperature',
  'top_p',
  'n',
  'stream',
  'stream_options',
  'logprobs',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'user',
  ...routingFields,
]);

/** Values that change nothing. */
const idle: Readonly<Record<string, unknown>> = { echo: false, suffix: '', best_of: 1 };

/** A completion as a conversation of one message. Several prompts, and prompts in tokens, cannot be one. Never throws. */
export function decodeRequest(body: JsonObject): Decoded {
  const model = asText(body.model);
  const prompt = singlePrompt(body);
  if (model === '') return { ok: false, reason: 'model is required' };
  if (prompt === undefined) {
    const reason =
      Array.isArray(body.prompt) && body.prompt.length > 0
        ? 'prompt must be one text for this model'
        : 'field prompt is required';
    return { ok: false, reason };
  }
  const fields = Object.entries(body).filter(([key, value]) => !known.has(key) && value !== null && value !== idle[key]);
  const words = typeof body.stop === 'string' ? [body.stop] : Array.isArray(body.stop) ? body.stop : [];
  const request: ChatRequest = {
    model,
    system: [],
    messages: [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }],
    tools: [],
    stop: words.filter((word) => typeof word === 'string'),
    choices: Math.max(1, Math.min(128, Math.floor(numberAt(body, 'n') ?? 1))),
    stream: body.stream === true,
    wantsUsage: wantsUsage(body),
    ...defined({
      maxTokens: numberAt(body, 'max_tokens') || undefined,
      temperature: numberAt(body, 'temperature'),
      topP: numberAt(body, 'top_p'),
      seed: numberAt(body, 'seed'),
      presencePenalty: numberAt(body, 'presence_penalty'),
      frequencyPenalty: numberAt(body, 'frequency_penalty'),
      logprobs: numberAt(body, 'logprobs'),
      user: asText(body.user) || undefined,
    }),
    ...(fields.length === 0 ? {} : { extra: { dialect: dialectName, fields: Object.fromEntries(fields) } }),
  };
  return { ok: true, request };
}

/** All texts of a conversation as one prompt; what is no text, and who said it, is lost. */
export function encodeRequest(request: ChatRequest, { model }: RequestContext): Encoded {
  const { lose, list } = createLosses();
  const { extra, stop, choices, stream } = request;
  noteLosses(request, lose);
  const body: JsonObject = {
    ...(extra?.dialect === dialectName ? extra.fields : {}),
    model,
    prompt: [...request.system.map(({ text }) => text), ...request.messages.flatMap(({ parts }) => texts(parts, lose))].join(
      '\n\n',
    ),
    ...spell('max_tokens', request.maxTokens),
    ...spell('temperature', request.temperature),
    ...spell('top_p', request.topP),
    ...spell('seed', request.seed),
    ...spell('presence_penalty', request.presencePenalty),
    ...spell('frequency_penalty', request.frequencyPenalty),
    ...spell('logprobs', request.logprobs),
    ...spell('user', request.user),
    ...spell('n', choices === 1 ? undefined : choices),
    ...spell('stop', stop.length === 0 ? undefined : stop.length === 1 ? stop[0] : stop),
    ...(stream ? { stream } : {}),
    ...(stream && request.wantsUsage ? { stream_options: { include_usage: true } } : {}),
  };
  return { body, losses: list() };
}

function spell(field: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [field]: value };
}

function texts(parts: readonly Part[], lose: (word: string) => void): string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text' || part.kind === 'refusal') return [part.text];
    if (part.kind === 'foreign') {
      if (part.text === undefined) lose(`hosted_tool:${part.name}`);
      return part.text === undefined ? [] : [part.text];
    }
    lose(part.kind.replace('-', '_'));
    return part.kind === 'tool-result' ? texts(part.content, lose) : [];
  });
}

function noteLosses(request: ChatRequest, lose: (word: string) => void): void {
  const { system, messages, tools, reasoning, output, modalities, audioOut, metadata, serviceTier, cacheKey, topK, extra } =
    request;
  if (system.length > 0 || messages.length > 1) lose('turns');
  for (const tool of tools) lose(tool.kind === 'hosted' ? `hosted_tool:${tool.name}` : 'tools');
  const set: Readonly<Record<string, unknown>> = {
    reasoning,
    json_schema: output,
    modalities,
    audio: audioOut,
    metadata,
    service_tier: serviceTier,
    cache_key: cacheKey,
    top_k: topK,
  };
  for (const [word, value] of Object.entries(set)) if (value !== undefined) lose(word);
  if (extra !== undefined && extra.dialect !== dialectName) for (const field of Object.keys(extra.fields)) lose(field);
}
