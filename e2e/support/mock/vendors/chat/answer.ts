import { type Facts, type Reply, type Told, wordsOf } from '../facts.ts';
import type { StreamPiece, Vendor } from '../vendor.ts';
import { readChat } from './request.ts';

const id = 'chatcmpl-vendor1';
const created = 1_741_569_952;
const finishes = { stop: 'stop', length: 'length', calls: 'tool_calls', refusal: 'stop' } as const;
const sound = Buffer.from('RIFF....WAVE').toString('base64');

/** Chat completions. Thoughts are told as `reasoning_content`, as several vendors of this dialect do. */
export const chatVendor: Vendor = {
  read: readChat,
  whole: (reply, facts) => ({
    id,
    object: 'chat.completion',
    created,
    model: facts.model,
    service_tier: 'default',
    system_fingerprint: 'fp_vendor',
    choices: Array.from({ length: facts.choices }, (_, index) => choice(reply, facts, index)),
    usage: chatUsage(reply.told),
  }),
  stream,
  error: chatError,
};

export function chatError(status: number, message: string): unknown {
  const types: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    429: 'rate_limit_exceeded',
    400: 'invalid_request_error',
  };
  return {
    error: { message, type: types[status] ?? 'server_error', param: null, code: status === 429 ? 'rate_limit_exceeded' : null },
  };
}

function chatUsage(told: Told) {
  return {
    prompt_tokens: told.prompt,
    completion_tokens: told.completion,
    total_tokens: told.prompt + told.completion,
    prompt_tokens_details: { cached_tokens: told.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: told.reasoning, audio_tokens: 0 },
  };
}

function choice(reply: Reply, facts: Facts, index: number) {
  const message = {
    role: 'assistant',
    content: reply.text === '' || facts.speaks ? null : reply.text,
    refusal: reply.refusal || null,
    annotations: [],
    ...(reply.thought === '' ? {} : { reasoning_content: reply.thought }),
    ...(reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map(callOf) }),
    ...(facts.speaks ? { audio: { id: 'audio_vendor1', data: sound, expires_at: created + 3600, transcript: reply.text } } : {}),
  };
  const logprobs =
    facts.logprobs === undefined ? null : { content: wordsOf(reply.text).map((word) => probability(word, facts)), refusal: null };
  return { index, message, logprobs, finish_reason: finishes[reply.finish] };
}

function probability(token: string, { logprobs = 0 }: Facts) {
  const entry = { token, logprob: -0.25, bytes: [...Buffer.from(token)] };
  return { ...entry, top_logprobs: Array.from({ length: logprobs }, () => entry) };
}

function callOf({ name, args }: Reply['calls'][number], k: number) {
  return { id: `call_vendor${k}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function stream(reply: Reply, facts: Facts): StreamPiece[] {
  const pieces: StreamPiece[] = [];
  const chunk = (choices: unknown[], more: object = {}) =>
    pieces.push({
      data: {
        id,
        object: 'chat.completion.chunk',
        created,
        model: facts.model,
        system_fingerprint: 'fp_vendor',
        choices,
        ...more,
      },
    });
  const all = Array.from({ length: facts.choices }, (_, index) => index);
  const delta = (delta: object, finish: string | null = null, logprobs: unknown = null) => {
    for (const index of all) chunk([{ index, delta, logprobs, finish_reason: finish }]);
  };
  delta({ role: 'assistant', content: reply.calls.length > 0 ? null : '', refusal: null });
  for (const word of wordsOf(reply.thought)) delta({ reasoning_content: word });
  for (const [k, word] of wordsOf(reply.text).entries()) {
    if (k === reply.failsAfterWords) return [...pieces, { data: chatError(500, 'the mock broke off') }];
    delta({ content: word }, null, facts.logprobs === undefined ? null : { content: [probability(word, facts)], refusal: null });
  }
  for (const word of wordsOf(reply.refusal)) delta({ refusal: word });
  for (const [k, call] of reply.calls.entries()) {
    const { function: called, ...head } = callOf(call, k);
    delta({ tool_calls: [{ index: k, ...head, function: { name: called.name, arguments: '' } }] });
    for (const part of called.arguments.match(/.{1,5}/gs) ?? [])
      delta({ tool_calls: [{ index: k, function: { arguments: part } }] });
  }
  delta({}, finishes[reply.finish]);
  if (facts.wantsUsage) chunk([], { usage: chatUsage(reply.told) });
  return [...pieces, { data: '[DONE]' }];
}
