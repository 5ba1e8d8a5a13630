import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';
import { noRoom, type Room } from '../chat/room.ts';
import { asObject, asText, type JsonObject, parseArguments } from '../json.ts';
import { callHead, decodeBlock } from './decode-blocks.ts';
import { dialectName } from './types.ts';

/** A content block of a stream between its start and its stop. */
export interface OpenBlock {
  start(): readonly ChatEvent[];
  delta(delta: JsonObject): readonly ChatEvent[];
  stop(): readonly ChatEvent[];
}

const malformed: readonly ChatEvent[] = [{ kind: 'malformed' }];

/** Opens the block that an event announces as the part of that number. `room` is that of the stream. */
export function openBlock(raw: JsonObject, part: number, room: Room): OpenBlock {
  switch (raw.type) {
    case 'text':
      return written({ kind: 'text' }, 'text', raw, part, room);
    case 'thinking':
      return written({ kind: 'reasoning', dialect: dialectName }, 'thinking', raw, part, room);
    case 'tool_use':
      return called(raw, part);
    default:
      return gathered(raw, part, room);
  }
}

/** Text or thoughts; the start may already hold the first of it. */
function written(head: PartHead, member: 'text' | 'thinking', raw: JsonObject, part: number, room: Room): OpenBlock {
  const citations: JsonObject[] = [];
  let signature = asText(raw.signature);
  const text = (value: string): ChatEvent[] => (value === '' ? [] : [{ kind: 'delta', choice: 0, part, text: value }]);
  return {
    start: () => [{ kind: 'part-start', choice: 0, part, head }, ...text(asText(raw[member]))],
    delta(delta) {
      // Some relays spell out every member that a delta may have, also those of the other kinds.
      const isBeside = delta.type === 'signature_delta' || delta.type === 'citations_delta';
      if (!isBeside && typeof delta[member] === 'string') return text(delta[member]);
      if (!isBeside) return delta.type === `${member}_delta` ? malformed : [];
      if (!room.holds(delta)) return [noRoom];
      if (delta.type === 'signature_delta') signature += asText(delta.signature);
      else citations.push(asObject(delta.citation) ?? {});
      return [];
    },
    stop() {
      const tail: PartTail = {
        ...(signature === '' ? {} : { signature }),
        ...(citations.length === 0 ? {} : { citations }),
      };
      return [{ kind: 'part-end', choice: 0, part, ...(Object.keys(tail).length === 0 ? {} : { tail }) }];
    },
  };
}

/** A call: its arguments come in pieces of JSON, or at once with the start. */
function called(raw: JsonObject, part: number): OpenBlock {
  let isEmpty = true;
  return {
    start: () => [{ kind: 'part-start', choice: 0, part, head: callHead(raw) }],
    delta({ type, partial_json: text }) {
      if (typeof text !== 'string') return type === 'input_json_delta' ? malformed : [];
      if (text === '') return [];
      isEmpty = false;
      return [{ kind: 'delta', choice: 0, part, text }];
    },
    stop: () => [
      ...(isEmpty ? [{ kind: 'delta', choice: 0, part, text: JSON.stringify(raw.input ?? {}) } as const] : []),
      { kind: 'part-end', choice: 0, part },
    ],
  };
}

/** Anything else is handed on whole. */
function gathered(raw: JsonObject, part: number, room: Room): OpenBlock {
  const block = { ...raw };
  let input = '';
  return {
    start: () => [{ kind: 'work', text: asText(raw.name) }],
    delta(delta) {
      if (!room.holds(delta)) return [noRoom];
      if (typeof delta.partial_json === 'string') {
        input += delta.partial_json;
        return [{ kind: 'work', text: delta.partial_json }];
      }
      if (delta.type !== 'signature_delta') grow(block, delta);
      return [];
    },
    stop() {
      if (input !== '') block.input = parseArguments(input) ?? input;
      return [{ kind: 'whole', choice: 0, part, value: decodeBlock(block) }];
    },
  };
}

function grow(block: JsonObject, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'type') continue;
    const known = block[key];
    block[key] = typeof value === 'string' && typeof known === 'string' ? known + value : value;
  }
}
