import type { JsonObject } from '@tollgate/wire';
import { sha256 } from '../platform/crypto.ts';
import { isObject, renamed, withMessages, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { adaptEmbeddings } from './embeddings.ts';
import { isCrossed, withEffortOf } from './openai.ts';

/** Fields of the OpenAI API that are refused as unknown (422). */
const unknownFields = [
  ...['stream_options', 'logprobs', 'top_logprobs', 'logit_bias', 'user', 'store', 'service_tier', 'modalities', 'audio'],
  ...['prompt_cache_key', 'safety_identifier', 'verbosity', 'web_search_options', 'functions', 'function_call', 'frequency_bias'],
];
/** Members of messages that are refused likewise. */
const unknownMembers = ['name', 'refusal', 'reasoning_content', 'reasoning', 'audio', 'annotations', 'function_call'];
/** What an id of a tool call must look like. */
const callId = /^[A-Za-z0-9]{9}$/;

/** Only its general models are told how much to think, some of them whether at all. */
function effortsOf(model: string): readonly string[] {
  return /^mistral-(?:small|medium|large)/.test(model) ? ['none', 'high'] : [];
}

/** The chat body without what is refused; pictures as plain addresses; ids of nine characters (contract 6.10). */
export function adaptMistral(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (call.protocol !== 'openai-chat') return adaptEmbeddings(body, call);
  const named = renamed(renamed(body, 'max_completion_tokens', 'max_tokens'), 'seed', 'random_seed');
  const known = without(named, unknownFields);
  const told = isCrossed(call) ? withEffortOf(known, effortsOf(call.model)) : known;
  const chosen = told.tool_choice === 'required' ? { ...told, tool_choice: 'any' } : told;
  return withMessages(chosen, adaptMessage);
}

function adaptMessage(message: JsonObject): JsonObject {
  let adapted = without(message, message.role === 'tool' ? unknownMembers.slice(1) : unknownMembers);
  if (adapted.role === 'developer') adapted = { ...adapted, role: 'system' };
  if (Array.isArray(adapted.content)) adapted = { ...adapted, content: adapted.content.map(adaptPart) };
  if (Array.isArray(adapted.tool_calls)) adapted = { ...adapted, tool_calls: adapted.tool_calls.map(adaptCall) };
  if (typeof adapted.tool_call_id === 'string') adapted = { ...adapted, tool_call_id: shortId(adapted.tool_call_id) };
  return adapted;
}

function adaptPart(part: unknown): unknown {
  if (!isObject(part) || part.type !== 'image_url' || !isObject(part.image_url)) return part;
  return { type: 'image_url', image_url: part.image_url.url };
}

function adaptCall(call: unknown): unknown {
  return isObject(call) && typeof call.id === 'string' ? { ...call, id: shortId(call.id) } : call;
}

/** The same id for the same id, so that results still find their calls. */
function shortId(id: string): string {
  return callId.test(id) ? id : sha256(id).slice(0, 9);
}
