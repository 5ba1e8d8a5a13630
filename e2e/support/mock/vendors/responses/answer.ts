import { chatError } from '../chat/answer.ts';
import { type Facts, type Reply, wordsOf } from '../facts.ts';
import type { StreamPiece, Vendor } from '../vendor.ts';
import { readResponses } from './request.ts';

const created = 1_741_569_952;

/** Responses. */
export const responsesVendor: Vendor = { read: readResponses, whole, stream, error: chatError };

interface Item {
  readonly whole: Readonly<Record<string, unknown>>;
  /** Before its content. */
  readonly start: Readonly<Record<string, unknown>>;
  /** Its events between added and done; `at` is filled in. */
  readonly events: readonly (readonly [name: string, data: object])[];
}

function whole(reply: Reply, facts: Facts): unknown {
  return envelope(
    reply,
    facts,
    items(reply, facts).map((item) => item.whole),
    reply.finish === 'length' ? 'incomplete' : 'completed',
  );
}

function envelope({ told, finish }: Reply, facts: Facts, output: readonly unknown[], status: string) {
  const isOver = status === 'completed' || status === 'incomplete';
  return {
    id: 'resp_vendor1',
    object: 'response',
    created_at: created,
    status,
    background: false,
    error: null,
    incomplete_details: isOver && finish === 'length' ? { reason: 'max_output_tokens' } : null,
    instructions: facts.system || null,
    max_output_tokens: facts.cap ?? null,
    model: facts.model,
    output,
    parallel_tool_calls: facts.isParallel,
    previous_response_id: null,
    reasoning: { effort: facts.thinking?.effort ?? null, summary: null },
    service_tier: 'default',
    store: true,
    temperature: facts.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: facts.choice,
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: isOver
      ? {
          input_tokens: told.prompt,
          input_tokens_details: { cached_tokens: told.cached, cache_write_tokens: 0 },
          output_tokens: told.completion,
          output_tokens_details: { reasoning_tokens: told.reasoning },
          total_tokens: told.prompt + told.completion,
        }
      : null,
    user: null,
    metadata: {},
  };
}

function items(reply: Reply, facts: Facts): Item[] {
  const thoughts = reply.thought === '' ? [] : [thoughtItem(reply.thought, facts)];
  const spoken = reply.text === '' && reply.refusal === '' ? [] : [messageItem(reply, facts)];
  return [...thoughts, ...spoken, ...reply.calls.map(callItem)];
}

function thoughtItem(thought: string, { thinking }: Facts): Item {
  const head = { id: 'rs_vendor1', type: 'reasoning' };
  const sealed = { encrypted_content: 'sealed-by-responses' };
  if (thinking?.isShown !== true)
    return { whole: { ...head, summary: [], ...sealed }, start: { ...head, summary: [] }, events: [] };
  const part = { type: 'summary_text', text: thought };
  const at = { item_id: head.id, summary_index: 0 };
  return {
    whole: { ...head, summary: [part], ...sealed },
    start: { ...head, summary: [] },
    events: [
      ['response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }],
      ...wordsOf(thought).map((delta) => ['response.reasoning_summary_text.delta', { ...at, delta }] as const),
      ['response.reasoning_summary_text.done', { ...at, text: thought }],
      ['response.reasoning_summary_part.done', { ...at, part }],
    ],
  };
}

function messageItem({ text, refusal, finish }: Reply, facts: Facts): Item {
  const head = { id: 'msg_vendor1', type: 'message', role: 'assistant' };
  const words = wordsOf(text || refusal);
  const logprobs =
    facts.logprobs === undefined
      ? []
      : words.map((token) => ({ token, logprob: -0.25, bytes: [...Buffer.from(token)], top_logprobs: [] }));
  const part = refusal === '' ? { type: 'output_text', text, annotations: [], logprobs } : { type: 'refusal', refusal };
  const empty = refusal === '' ? { ...part, text: '', logprobs: [] } : { ...part, refusal: '' };
  const at = { item_id: head.id, content_index: 0 };
  const name = refusal === '' ? 'output_text' : 'refusal';
  const done = refusal === '' ? { text, logprobs } : { refusal };
  return {
    whole: { ...head, status: finish === 'length' ? 'incomplete' : 'completed', content: [part] },
    start: { ...head, status: 'in_progress', content: [] },
    events: [
      ['response.content_part.added', { ...at, part: empty }],
      ...words.map(
        (delta, k) =>
          [
            `response.${name}.delta`,
            { ...at, delta, ...(refusal === '' ? { logprobs: logprobs.slice(k, k + 1) } : {}) },
          ] as const,
      ),
      [`response.${name}.done`, { ...at, ...done }],
      ['response.content_part.done', { ...at, part }],
    ],
  };
}

function callItem({ name, args }: Reply['calls'][number], k: number): Item {
  const head = { id: `fc_vendor${k}`, type: 'function_call', call_id: `call_vendor${k}`, name };
  const json = JSON.stringify(args);
  return {
    whole: { ...head, arguments: json, status: 'completed' },
    start: { ...head, arguments: '', status: 'in_progress' },
    events: [
      ...(json.match(/.{1,5}/gs) ?? []).map(
        (delta) => ['response.function_call_arguments.delta', { item_id: head.id, delta }] as const,
      ),
      ['response.function_call_arguments.done', { item_id: head.id, arguments: json }],
    ],
  };
}

function stream(reply: Reply, facts: Facts): StreamPiece[] {
  const pieces: StreamPiece[] = [];
  const event = (type: string, data: object) =>
    pieces.push({ name: type, data: { type, sequence_number: pieces.length, ...data } });
  event('response.created', { response: envelope(reply, facts, [], 'in_progress') });
  event('response.in_progress', { response: envelope(reply, facts, [], 'in_progress') });
  const said = items(reply, facts);
  let words = 0;
  for (const [index, item] of said.entries()) {
    event('response.output_item.added', { output_index: index, item: item.start });
    for (const [name, data] of item.events) {
      if (name.endsWith('text.delta')) words += 1;
      if (words > (reply.failsAfterWords ?? Number.POSITIVE_INFINITY)) {
        event('error', { code: 'server_error', message: 'the mock broke off', param: null });
        return pieces;
      }
      event(name, { output_index: index, ...data });
    }
    event('response.output_item.done', { output_index: index, item: item.whole });
  }
  const status = reply.finish === 'length' ? 'incomplete' : 'completed';
  event(`response.${status}`, {
    response: envelope(
      reply,
      facts,
      said.map((item) => item.whole),
      status,
    ),
  });
  return pieces;
}
