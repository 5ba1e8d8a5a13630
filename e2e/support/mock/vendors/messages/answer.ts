import { type Facts, type Reply, type Told, wordsOf } from '../facts.ts';
import type { StreamPiece, Vendor } from '../vendor.ts';
import { readMessages } from './request.ts';

const id = 'msg_vendor1';
const stops = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use', refusal: 'refusal' } as const;
const signature = 'sig-of-messages-1';
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Messages. */
export const messagesVendor: Vendor = {
  read: readMessages,
  whole: (reply, facts) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: facts.model,
    content: blocks(reply).map(({ block }) => block),
    stop_reason: stopReason(reply),
    stop_sequence: reply.stopSequence,
    usage: { ...promptUsage(reply.told), ...outputUsage(reply.told), service_tier: 'standard' },
  }),
  stream,
  error: messagesError,
};

export function messagesError(status: number, message: string): unknown {
  return { type: 'error', error: { type: types[status] ?? 'api_error', message }, request_id: 'req_vendor1' };
}

function stopReason({ finish, stopSequence }: Reply): string {
  return stopSequence === null ? stops[finish] : 'stop_sequence';
}

/** Here the prompt does not include what the cache had. */
function promptUsage({ prompt, cached, write5m, write1h }: Told) {
  return {
    input_tokens: prompt - cached - write5m - write1h,
    cache_creation_input_tokens: write5m + write1h,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
  };
}

function outputUsage({ completion, reasoning }: Told) {
  return { output_tokens: completion, output_tokens_details: { thinking_tokens: reasoning } };
}

interface Block {
  readonly block: object;
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocks({ thought, text, refusal, calls }: Reply): Block[] {
  const spoken = text || refusal;
  const found: Block[] = [];
  if (thought !== '') {
    const deltas = wordsOf(thought).map((thinking) => ({ type: 'thinking_delta', thinking }));
    found.push({
      block: { type: 'thinking', thinking: thought, signature },
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...deltas, { type: 'signature_delta', signature }],
    });
  }
  if (spoken !== '') {
    const deltas = wordsOf(spoken).map((word) => ({ type: 'text_delta', text: word }));
    found.push({ block: { type: 'text', text: spoken }, start: { type: 'text', text: '' }, deltas });
  }
  for (const [k, { name, args }] of calls.entries()) {
    const head = { type: 'tool_use', id: `toolu_vendor${k}`, name };
    const parts = ['', ...(JSON.stringify(args).match(/.{1,5}/gs) ?? [])];
    found.push({
      block: { ...head, input: args },
      start: { ...head, input: {} },
      deltas: parts.map((part) => ({ type: 'input_json_delta', partial_json: part })),
    });
  }
  return found;
}

function stream(reply: Reply, { model }: Facts): StreamPiece[] {
  const pieces: StreamPiece[] = [];
  const event = (type: string, data: object) => pieces.push({ name: type, data: { type, ...data } });
  const usage = { ...promptUsage(reply.told), output_tokens: 1, service_tier: 'standard' };
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage };
  event('message_start', { message });
  event('ping', {});
  for (const [index, { start, deltas }] of blocks(reply).entries()) {
    event('content_block_start', { index, content_block: start });
    for (const [k, delta] of deltas.entries()) {
      if (k === reply.failsAfterWords) return [...pieces, { name: 'error', data: messagesError(529, 'the mock broke off') }];
      event('content_block_delta', { index, delta });
    }
    event('content_block_stop', { index });
  }
  const delta = { stop_reason: stopReason(reply), stop_sequence: reply.stopSequence };
  event('message_delta', { delta, usage: { ...promptUsage(reply.told), ...outputUsage(reply.told) } });
  event('message_stop', {});
  return pieces;
}
