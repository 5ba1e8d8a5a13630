import type { PartHead } from '../chat/response.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { dialectName } from './types.ts';

/** A streaming event without its sequence number. */
export type WireEvent = { readonly type: string } & JsonObject;

/** The events that announce a part: its item, and the content of a message. Sound has none. */
export function openingEvents(head: PartHead, id: string, outputIndex: number): WireEvent[] {
  const added = (item: JsonObject) => ({ type: 'response.output_item.added', output_index: outputIndex, item: { id, ...item } });
  switch (head.kind) {
    case 'text':
    case 'refusal': {
      const phase = head.kind === 'text' && head.phase !== undefined ? { phase: head.phase } : {};
      const part =
        head.kind === 'text'
          ? { type: 'output_text', text: '', annotations: [], logprobs: [] }
          : { type: 'refusal', refusal: '' };
      return [
        added({ type: 'message', status: 'in_progress', role: 'assistant', content: [], ...phase }),
        { type: 'response.content_part.added', item_id: id, output_index: outputIndex, content_index: 0, part },
      ];
    }
    case 'reasoning':
      return [added({ type: 'reasoning', summary: [] })];
    case 'tool-call': {
      const own = head.extra?.dialect === dialectName ? head.extra.fields : {};
      const call = { type: 'function_call', status: 'in_progress', arguments: '', call_id: callIdOf(head, id), name: head.name };
      return [added({ ...call, ...own })];
    }
    case 'audio':
      return [];
  }
}

/** The id of a call; one is made of the item's where the model's dialect has none. */
export function callIdOf(call: { readonly id: string }, itemId: string): string {
  return call.id === '' ? itemId.replace(/^(fc|ctc)_/, 'call_') : call.id;
}

interface Opened {
  readonly head: PartHead;
  readonly id: string;
  /** No delta was written yet. */
  readonly isFresh: boolean;
}

/** The events of one delta. A thought opens its only section with the first one. */
export function deltaEvents({ head, id, isFresh }: Opened, delta: string, logprobs: JsonObject[], index: number): WireEvent[] {
  const at = { item_id: id, output_index: index };
  switch (head.kind) {
    case 'text':
      return [{ type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs }];
    case 'refusal':
      return [{ type: 'response.refusal.delta', ...at, content_index: 0, delta }];
    case 'tool-call':
      return [{ type: 'response.function_call_arguments.delta', ...at, delta }];
    case 'reasoning': {
      const part = { type: 'summary_text', text: '' };
      const added = { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part };
      const event = { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta };
      return isFresh ? [added, event] : [event];
    }
    case 'audio':
      return [];
  }
}

/** The events that end a finished item. `isFresh`: no delta of it was written. */
export function doneEvents(item: JsonObject, outputIndex: number, isFresh: boolean): WireEvent[] {
  const at = { item_id: item.id, output_index: outputIndex };
  return [...innerDone(item, at, isFresh), { type: 'response.output_item.done', output_index: outputIndex, item }];
}

function innerDone(item: JsonObject, at: JsonObject, isFresh: boolean): WireEvent[] {
  if (item.type === 'function_call') {
    return [{ type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments }];
  }
  if (item.type === 'reasoning') {
    const [section] = asObjects(item.summary);
    if (section === undefined || isFresh) return [];
    const place = { ...at, summary_index: 0 };
    return [
      { type: 'response.reasoning_summary_text.done', ...place, text: section.text },
      { type: 'response.reasoning_summary_part.done', ...place, part: section },
    ];
  }
  const [part] = asObjects(item.content);
  return part === undefined ? [] : contentDone(part, { ...at, content_index: 0 });
}

export function contentDone(part: JsonObject, place: JsonObject): WireEvent[] {
  const done = { type: 'response.content_part.done', ...place, part };
  if (part.type === 'refusal') return [{ type: 'response.refusal.done', ...place, refusal: part.refusal }, done];
  const notes = asObjects(part.annotations).map((annotation, annotation_index) => ({
    type: 'response.output_text.annotation.added',
    ...place,
    annotation_index,
    annotation,
  }));
  return [
    ...notes,
    { type: 'response.output_text.done', ...place, text: asText(part.text), logprobs: part.logprobs ?? [] },
    done,
  ];
}

/** The text that a call which comes at once is for: clients gather it from these events. */
export function inputEvents({ type, id, input }: JsonObject, outputIndex: number): WireEvent[] {
  if (type !== 'custom_tool_call') return [];
  const at = { item_id: id, output_index: outputIndex };
  return [
    { type: 'response.custom_tool_call_input.delta', ...at, delta: asText(input) },
    { type: 'response.custom_tool_call_input.done', ...at, input: asText(input) },
  ];
}

/** Announces an item that comes at once, before it is done. */
export function itemAdded(item: JsonObject, outputIndex: number): WireEvent {
  const begun = item.type === 'custom_tool_call' ? { ...item, status: 'in_progress', input: '' } : item;
  const unfinished = (asObject(item.result) ?? typeof item.result === 'string') ? { ...item, result: null } : begun;
  return { type: 'response.output_item.added', output_index: outputIndex, item: unfinished };
}
