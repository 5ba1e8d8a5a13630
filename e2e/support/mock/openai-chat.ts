import { eventBytes, jsonAnswer, type MockAnswer } from './dialect.ts';
import type { MockRequest } from './records.ts';
import type { MockScript } from './script.ts';

const created = 1_741_569_952;
const id = 'chatcmpl-mock000000000000000000000';
const defaultText = 'Hello! How can I help you today?';
const defaultPromptTokens = 20;

interface Reply {
  readonly model: string;
  /** Content pieces, one per token. */
  readonly words: readonly string[];
  readonly finish: string;
  readonly choices: number;
  readonly usage: unknown;
}

/** POST /v1/chat/completions: a deterministic model that knows one reply and counts a word as a token. */
export function openaiChat(request: MockRequest, script: MockScript): MockAnswer {
  const { json } = request;
  if (script.errorIn200 === true && json.stream !== true)
    return jsonAnswer(200, upstreamError('mock failure in a 200', 'server_error'));
  const reply = replyTo(request, script);
  return json.stream === true ? streamed(request, script, reply) : jsonAnswer(200, whole(script, reply));
}

/** The error body of this dialect. */
export function upstreamError(message: string, type: string, code: string | null = null): Record<string, unknown> {
  return { error: { message, type, param: null, code } };
}

function replyTo({ json }: MockRequest, script: MockScript): Reply {
  const all = wordsOf(script);
  const cap = [json.max_completion_tokens, json.max_tokens].find((value) => typeof value === 'number') ?? all.length;
  const words = all.slice(0, Math.max(0, cap));
  const choices = typeof json.n === 'number' && json.n > 0 ? Math.min(json.n, 128) : 1;
  const finish = script.finishReason ?? (script.tool ? 'tool_calls' : words.length < all.length ? 'length' : 'stop');
  const model = typeof json.model === 'string' ? json.model : '';
  return { model, words, finish, choices, usage: usageOf(script, words.length * choices) };
}

function wordsOf({ text = defaultText, chunks }: MockScript): string[] {
  const words = text.match(/\s*\S+/g) ?? [];
  if (chunks === undefined) return words;
  return Array.from({ length: chunks }, (_, k) => words[k % Math.max(1, words.length)] ?? ' word');
}

function usageOf(script: MockScript, counted: number): unknown {
  const { usage = 'normal' } = script;
  if (typeof usage === 'object') return usage;
  if (usage === 'missing') return undefined;
  if (usage === 'absurd') return { prompt_tokens: -5, completion_tokens: 9e15, total_tokens: 'many' };
  const prompt = usage === 'zero' ? 0 : (script.promptTokens ?? defaultPromptTokens);
  const completion = usage === 'zero' ? 0 : (script.completionTokens ?? counted);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage === 'cached' ? Math.floor(prompt / 2) : 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function whole(script: MockScript, { model, words, finish, choices, usage }: Reply): unknown {
  const { tool, reasoning } = script;
  const message = {
    role: 'assistant',
    content: tool ? null : words.join(''),
    refusal: null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(tool ? { tool_calls: [{ id: 'call_mock', type: 'function', function: tool }] } : {}),
  };
  const list = Array.from({ length: choices }, (_, index) => ({ index, message, logprobs: null, finish_reason: finish }));
  return { id, object: 'chat.completion', created, model, choices: list, ...(usage === undefined ? {} : { usage }) };
}

function streamed({ json }: MockRequest, script: MockScript, reply: Reply): MockAnswer {
  const pieces: Buffer[] = [];
  const event = (value: unknown) => pieces.push(eventBytes(script, JSON.stringify(value)));
  const answer = (): MockAnswer => ({ status: 200, contentType: 'text/event-stream; charset=utf-8', pieces, paced: true });
  if (script.errorIn200 === true) {
    event(upstreamError('mock failure in the first event', 'server_error'));
    return answer();
  }
  const options = json.stream_options as { include_usage?: unknown } | null | undefined;
  const asked = script.usage === 'always' || options?.include_usage === true;
  const chunk = (choices: unknown[], more: object = {}) =>
    event({ id, object: 'chat.completion.chunk', created, model: reply.model, system_fingerprint: 'fp_mock', choices, ...more });
  const deltas = deltasOf(script, reply.words);
  for (const [k, delta] of deltas.entries()) {
    if (script.errorAfterChunks === k) {
      event(upstreamError('mock failure in mid-stream', 'server_error'));
      return answer();
    }
    if (script.commentEvery !== undefined && k % script.commentEvery === 0) pieces.push(eventBytes(script, 'mock comment', true));
    for (let index = 0; index < reply.choices; index += 1) chunk([{ index, delta, logprobs: null, finish_reason: null }]);
  }
  for (let index = 0; index < reply.choices; index += 1)
    chunk([{ index, delta: {}, logprobs: null, finish_reason: reply.finish }]);
  if (asked && reply.usage !== undefined) chunk([], { usage: reply.usage });
  if (script.done !== false) pieces.push(eventBytes(script, '[DONE]'));
  return answer();
}

function deltasOf({ tool, reasoning }: MockScript, words: readonly string[]): object[] {
  const deltas: object[] = [{ role: 'assistant', content: tool ? null : '', refusal: null }];
  for (const word of reasoning?.match(/\s*\S+/g) ?? []) deltas.push({ reasoning_content: word });
  if (tool === undefined) return [...deltas, ...words.map((content) => ({ content }))];
  const call = { index: 0, id: 'call_mock', type: 'function', function: { name: tool.name, arguments: '' } };
  const parts = tool.arguments.match(/.{1,6}/gs) ?? [];
  const calls = parts.map((part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] }));
  return [...deltas, { tool_calls: [call] }, ...calls];
}

/** GET /v1/models. */
export function openaiModels(models: readonly string[]): MockAnswer {
  const data = models.map((model) => ({ id: model, object: 'model', created, owned_by: 'mock' }));
  return jsonAnswer(200, { object: 'list', data });
}
