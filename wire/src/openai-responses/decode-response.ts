import type { Part } from '../chat/parts.ts';
import type { Answer, ChatResponse, Finish } from '../chat/response.ts';
import { asObject, asObjects, asText, entryOf, type JsonObject } from '../json.ts';
import { decodeItem, decodeMessage, decodeReasoning, kindOf } from './decode-items.ts';
import { answerExtra } from './extra.ts';
import { ItemUses } from './item-uses.ts';
import { readUsage } from './usage.ts';

/** Reads a whole answer. Never throws. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const items = asObjects(body.output);
  const parts = items.flatMap(decodeOutputItem);
  const logprobs = items.flatMap((item) => asObjects(item.content)).flatMap((content) => asObjects(content.logprobs));
  const finish = finishOf(body, parts.map(kindOf));
  const answer: Answer = {
    parts,
    ...(finish === undefined ? {} : { finish }),
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
  const usage = readUsage(body.usage);
  const counted = new ItemUses();
  for (const item of items) counted.add(item);
  const uses = counted.told(body);
  const serviceTier = asText(body.service_tier);
  const extra = answerExtra(body);
  return {
    id: asText(body.id),
    model: asText(body.model),
    ...(typeof body.created_at === 'number' ? { created: body.created_at } : {}),
    answers: [answer],
    ...(usage === undefined ? {} : { usage }),
    ...(serviceTier === '' ? {} : { serviceTier }),
    ...(uses === undefined ? {} : { uses }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** The parts of one item of an answer. */
function decodeOutputItem(item: JsonObject): Part[] {
  if (item.type === 'message') return decodeMessage({ role: 'assistant', ...item });
  return [item.type === 'reasoning' ? decodeReasoning(item) : decodeItem(item)];
}

const reasons: Readonly<Record<string, Finish['reason']>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
  max_messages: 'pause',
};

/** Why an answer with these parts ended; undefined when it has not. */
export function finishOf(body: JsonObject, kinds: Iterable<Part['kind']>): Finish | undefined {
  if (body.status === 'incomplete') {
    const raw = asText(asObject(body.incomplete_details)?.reason);
    return { reason: entryOf(reasons, raw) ?? 'other', raw: raw || 'incomplete' };
  }
  if (body.status !== undefined && body.status !== null && body.status !== 'completed') return undefined;
  const seen = new Set(kinds);
  const reason = seen.has('tool-call') ? 'tool-calls' : seen.has('refusal') ? 'refusal' : 'stop';
  return { reason, raw: 'completed' };
}
