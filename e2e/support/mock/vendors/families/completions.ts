import type { MockRequest } from '../../records.ts';
import { chatError } from '../chat/answer.ts';
import { type Facts, type Reply, wordsOf } from '../facts.ts';
import * as strict from '../strict.ts';
import type { StreamPiece, Vendor } from '../vendor.ts';

const known =
  'model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop stream stream_options suffix temperature top_p user';

/** Completions of a text. */
export const completionsVendor: Vendor = { read, whole, stream, error: chatError };

function read({ json }: MockRequest): Facts {
  const body = strict.only(json, 'body', known);
  const prompts = typeof body.prompt === 'string' ? [body.prompt] : strict.list(body.prompt, 'prompt').map(String);
  const options = body.stream_options === undefined ? {} : strict.only(body.stream_options, 'stream_options', 'include_usage');
  return {
    model: strict.filled(body.model, 'model'),
    stream: body.stream === true,
    system: '',
    turns: [{ role: 'user', pieces: prompts.map((text) => ({ text })) }],
    tools: [],
    choice: 'auto',
    isParallel: true,
    cap: strict.whole(body.max_tokens, 'max_tokens', 0),
    temperature: strict.number(body.temperature, 'temperature', 0, 2),
    stop: typeof body.stop === 'string' ? [body.stop] : strict.some(body.stop, 'stop').map(String),
    choices: strict.whole(body.n, 'n', 1, 128) ?? 1,
    marks: [],
    speaks: false,
    wantsUsage: options.include_usage === true,
  };
}

function envelope(facts: Facts, choices: readonly unknown[], more: object) {
  return { id: 'cmpl-vendor1', object: 'text_completion', created: 1, model: facts.model, choices, ...more };
}

function usageOf({ told: { prompt, completion } }: Reply) {
  return { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } };
}

function whole(reply: Reply, facts: Facts): unknown {
  const finish_reason = reply.finish === 'length' ? 'length' : 'stop';
  const choices = Array.from({ length: facts.choices }, (_, index) => ({
    text: reply.text,
    index,
    logprobs: null,
    finish_reason,
  }));
  return envelope(facts, choices, usageOf(reply));
}

function stream(reply: Reply, facts: Facts): StreamPiece[] {
  const finish = reply.finish === 'length' ? 'length' : 'stop';
  const chunk = (text: string, finish_reason: string | null) => ({
    data: envelope(facts, [{ text, index: 0, logprobs: null, finish_reason }], {}),
  });
  const words = wordsOf(reply.text).map((word) => chunk(word, null));
  const usage = facts.wantsUsage ? [{ data: envelope(facts, [], usageOf(reply)) }] : [];
  return [...words, chunk('', finish), ...usage, { data: '[DONE]' }];
}
