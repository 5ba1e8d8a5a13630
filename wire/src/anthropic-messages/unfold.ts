import type { Unfolding } from '../chat/dialect.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import { readUsage, writeUsage } from './usage.ts';

/** A whole answer as the stream that says the same. */
export function unfold(body: JsonObject, { charged }: Unfolding): Buffer {
  const { id, type, role, model, content, stop_reason = null, stop_sequence = null, usage: told, ...rest } = body;
  const { context_management, ...fields } = rest;
  const usage = (readUsage(told) && asObject(told)) ?? { ...writeUsage(charged) };
  const message = { id, type, role, model, content: [], stop_reason: null, stop_sequence: null };
  return Buffer.concat([
    event('message_start', { message: { ...message, usage: { ...usage, output_tokens: 0 } } }),
    ...asObjects(content).flatMap(blockEvents),
    event('message_delta', { delta: { stop_reason, stop_sequence, ...fields }, usage, context_management }),
    event('message_stop', {}),
  ]);
}

function event(type: string, members: JsonObject): Buffer {
  return encodeFrame(JSON.stringify({ type, ...members }), type);
}

function blockEvents(block: JsonObject, index: number): Buffer[] {
  const { start, deltas } = stepsOf(block);
  return [
    event('content_block_start', { index, content_block: { ...block, ...start } }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

interface Steps {
  /** What the block is without at its start. */
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

/** Texts, thoughts and arguments come in steps, where clients expect them; other blocks are whole at their start. */
function stepsOf(block: JsonObject): Steps {
  switch (block.type) {
    case 'text': {
      const citations = asObjects(block.citations).map((citation) => ({ type: 'citations_delta', citation }));
      const start = citations.length === 0 ? {} : { citations: [] };
      return { start: { text: '', ...start }, deltas: [...said('text_delta', 'text', block.text), ...citations] };
    }
    case 'thinking': {
      const thought = said('thinking_delta', 'thinking', block.thinking);
      return {
        start: { thinking: '', signature: '' },
        deltas: [...thought, ...said('signature_delta', 'signature', block.signature)],
      };
    }
    default: {
      if (asObject(block.input) === undefined) return { start: {}, deltas: [] };
      return { start: { input: {} }, deltas: said('input_json_delta', 'partial_json', JSON.stringify(block.input)) };
    }
  }
}

function said(type: string, member: string, value: unknown): JsonObject[] {
  return asText(value) === '' ? [] : [{ type, [member]: value }];
}
