import type { Part } from '../chat/parts.ts';
import type { Answer, ChatResponse } from '../chat/response.ts';
import { asNumber, asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { decodeAssistant } from './decode-message.ts';
import { ownExtra } from './extra.ts';
import { decodeFinish, type Made } from './finish.ts';
import { usageOf, usesOf } from './usage.ts';

/** Members of an answer or a chunk that the neutral form has words for. */
const known: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'service_tier',
  'error',
  'obfuscation',
]);

/** Reads a whole answer. Never throws. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const usage = usageOf(body);
  const uses = usesOf(body);
  const extra = ownExtra(extraFields(body));
  return {
    id: asText(body.id),
    model: asText(body.model),
    ...(typeof body.created === 'number' ? { created: body.created } : {}),
    answers: sorted(asObjects(body.choices)).map((choice) => decodeChoice(choice, asText(body.id))),
    ...(usage === undefined ? {} : { usage }),
    ...(asText(body.service_tier) === '' ? {} : { serviceTier: asText(body.service_tier) }),
    ...(uses === undefined ? {} : { uses }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function sorted(choices: readonly JsonObject[]): JsonObject[] {
  return [...choices].sort((a, b) => (asNumber(a.index) || 0) - (asNumber(b.index) || 0));
}

function decodeChoice(choice: JsonObject, answerId: string): Answer {
  const message = asObject(choice.message) ?? {};
  const index = typeof choice.index === 'number' ? choice.index : 0;
  const parts = decodeAssistant(message, (call) => callId(answerId, index, call));
  const finish = decodeFinish(choice.finish_reason, madeOf(parts));
  const logprobs = logprobEntries(choice.logprobs);
  return { parts, ...(finish === undefined ? {} : { finish }), ...(logprobs.length === 0 ? {} : { logprobs }) };
}

/** Ids of calls may have 40 characters. */
const maxScopeChars = 24;

/** Calls without an id get one that is unlikely to come twice in a conversation. */
export function callId(answerId: string, choice: number, call: number): string {
  const scope = answerId.replace(/^chatcmpl-/, '').replace(/[^\w-]/g, '');
  return `call_${scope.slice(0, maxScopeChars)}_${choice}_${call}`;
}

/** What of these parts decides how the answer ends. */
export function madeOf(parts: readonly Part[]): Made {
  return {
    calls: parts.some((part) => part.kind === 'tool-call' || (part.kind === 'foreign' && part.name.startsWith('tool_calls.'))),
    refusal: parts.some(({ kind }) => kind === 'refusal'),
  };
}

/** The entries of a choice's `logprobs`: those of its content, then those of its refusal. */
export function logprobEntries(raw: unknown): JsonObject[] {
  const logprobs = asObject(raw);
  return logprobs === undefined ? [] : [...asObjects(logprobs.content), ...asObjects(logprobs.refusal)];
}

/** What this dialect's upstreams add to an answer; undefined = nothing. */
export function extraFields(body: JsonObject): JsonObject | undefined {
  let fields: JsonObject | undefined;
  for (const key in body) {
    if (known.has(key)) continue;
    const value = body[key];
    if (value === null || value === undefined) continue;
    fields ??= {};
    fields[key] = value;
  }
  return fields;
}
