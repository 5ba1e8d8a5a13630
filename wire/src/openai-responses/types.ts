import { asObject, type JsonObject } from '../json.ts';

/**
 * The OpenAI Responses dialect as far as the gateway touches it; unknown fields pass through untouched.
 * Source: the public API reference of POST /v1/responses and of its streaming events.
 */

export const dialectName = 'openai-responses';

/** What a request may ask for, and an answer may have been made with. */
export const tiers: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']);

/** Stands for all that was said before. */
export const compactionItem = 'compaction';

/** Asks for the conversation so far as one item. */
export const compactionTrigger = 'compaction_trigger';

/** Offers tools from here on. */
export const additionalTools = 'additional_tools';

/** Kinds of items that the caller says although their name does not end like an answer to a call. */
const callerItems: ReadonlySet<string> = new Set([additionalTools, 'configuration_update', compactionTrigger]);

/** Who an item that only this dialect knows belongs to: results of calls are the caller's, all else the model's. */
export function itemRole(type: string): 'user' | 'assistant' {
  return /_(output|response)$/.test(type) || callerItems.has(type) ? 'user' : 'assistant';
}

/** A call of a function that no program makes. */
export function isPlainCall(item: JsonObject): boolean {
  if (item.type !== 'function_call') return false;
  const caller = asObject(item.caller);
  return caller === undefined || caller.type === 'direct';
}

/** Ids of pictures that came from another dialect and are spelled as the result of the hosted tool. */
export const pictureIdPrefix = 'ig_made_';
