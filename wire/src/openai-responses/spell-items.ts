import { isCustomCall, partToResponses } from '../chat/custom-tools.ts';
import type { Losses } from '../chat/losses.ts';
import type { ForeignPart, ImagePart, Part, ReasoningPart, ToolCallPart } from '../chat/parts.ts';
import { seal, sealSignature } from '../chat/seal.ts';
import { asText, type JsonObject } from '../json.ts';
import { encodeOutputText } from './content.ts';
import { spellSummary } from './encode-items.ts';
import { ownFields } from './extra.ts';
import { callIdOf } from './part-events.ts';
import { dialectName, pictureIdPrefix } from './types.ts';

/** Makes the ids of an answer's items; `index` counts the items. */
export type ItemId = (prefix: string) => string;

/** Ids that are unique as far as the answer's own id is. */
export function createItemIds(answerId: string): ItemId {
  let count = 0;
  return (prefix) => {
    count += 1;
    return `${prefix}_${answerId}_${count}`;
  };
}

/**
 * The finished items for one part of an answer: one, two for a call that carries a signature, none and a loss for what
 * this dialect cannot say. `logprobs` go to the first text.
 */
export function spellPart(part: Part, id: string, losses: Losses, logprobs: readonly JsonObject[] = []): JsonObject[] {
  switch (part.kind) {
    case 'text': {
      const content = { ...encodeOutputText(part, losses), logprobs };
      const phase = part.phase === undefined ? {} : { phase: part.phase };
      return [{ id, type: 'message', status: 'completed', role: 'assistant', content: [content], ...phase }];
    }
    case 'refusal': {
      const content = { type: 'refusal', refusal: part.text };
      return [{ id, type: 'message', status: 'completed', role: 'assistant', content: [content] }];
    }
    case 'reasoning':
      return [spellReasoning(part, id)];
    case 'tool-call':
      return spellCall(part, id, losses);
    case 'image':
      return spellPicture(part, id, losses);
    case 'audio':
      losses.lose('audio');
      return part.transcript === undefined ? [] : spellPart({ kind: 'text', text: part.transcript }, id, losses, logprobs);
    case 'foreign':
      return spellForeign(part, id, losses, logprobs);
    default:
      losses.lose(part.kind.replace('-', '_'));
      return [];
  }
}

function spellForeign(part: ForeignPart, id: string, losses: Losses, logprobs: readonly JsonObject[]): JsonObject[] {
  const own = partToResponses(part);
  if (isCustomCall(own)) return spellCustomCall(own, id.replace(/^[a-z]+_/, 'ctc_'));
  if (part.dialect === dialectName) return [part.raw];
  if (part.text !== undefined) return spellPart({ kind: 'text', text: part.text }, id, losses, logprobs);
  losses.lose(`hosted_tool:${part.name}`);
  return [];
}

/** An upstream of this dialect has said all of it. */
function spellCustomCall({ raw, proof }: ForeignPart, id: string): JsonObject[] {
  if (raw.id !== undefined) return [raw];
  const call = { id, status: 'completed', ...raw, call_id: callIdOf({ id: asText(raw.call_id) }, id) };
  return [call, ...spellProof(proof?.signature, proof?.dialect, id)];
}

function spellReasoning({ text, signature, redacted, dialect, id: ownId }: ReasoningPart, id: string): JsonObject {
  const opaque =
    redacted === undefined
      ? sealSignature({ signature, dialect }, dialectName)
      : seal({ of: 'redacted', dialect, value: redacted }, dialectName);
  return {
    id: dialect === dialectName ? (ownId ?? id) : id,
    type: 'reasoning',
    summary: spellSummary(text),
    ...(opaque === undefined ? {} : { encrypted_content: opaque }),
  };
}

function spellCall(part: ToolCallPart, id: string, losses: Losses): JsonObject[] {
  const call = {
    id,
    type: 'function_call',
    status: 'completed',
    arguments: part.arguments,
    call_id: callIdOf(part, id),
    name: part.name,
    ...ownFields(part.extra, losses),
  };
  return [call, ...spellProof(part.signature, part.dialect, id)];
}

/** What a call was signed with, behind it. */
function spellProof(signature: string | undefined, dialect = '', id: string): JsonObject[] {
  if (signature === undefined) return [];
  const sealed = seal({ of: 'call', dialect, value: signature }, dialectName);
  // Clients that leave thoughts to the upstream name them by their ids: one must be known for a thought.
  return [{ id: `rs_${id}`, type: 'reasoning', summary: [], encrypted_content: sealed }];
}

function spellPicture({ source }: ImagePart, id: string, losses: Losses): JsonObject[] {
  if (source.at !== 'inline') {
    losses.lose('image');
    return [];
  }
  const format = source.mediaType.replace(/^image\//, '');
  const pictureId = id.replace(/^[a-z]+_/, pictureIdPrefix);
  return [{ id: pictureId, type: 'image_generation_call', status: 'completed', output_format: format, result: source.base64 }];
}

const prefixes: Partial<Record<Part['kind'], string>> = { reasoning: 'rs', 'tool-call': 'fc', image: 'ig' };

/** What ids of items for such parts begin with. */
export function idPrefix(kind: Part['kind']): string {
  return prefixes[kind] ?? 'msg';
}
