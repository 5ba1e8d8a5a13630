import type { Unfolding } from '../chat/dialect.ts';
import { asObjects, asText, entryOf, type JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import { contentDone, itemAdded, type WireEvent } from './part-events.ts';
import { spellUsage } from './usage.ts';

/** How an answer that is over says so. */
const endings: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/** A whole answer as the stream that says the same; one that is made in the background has no end yet. */
export function unfold(body: JsonObject, { charged }: Unfolding): Buffer {
  const status = body.status ?? 'completed';
  const isOver = endings.has(status);
  const whole = { ...body, status, usage: body.usage ?? (isOver ? spellUsage(charged) : null) };
  const begun = { ...whole, status: isOver ? 'in_progress' : status, output: [], usage: null, incomplete_details: null };
  const events: WireEvent[] = [
    { type: 'response.created', response: begun },
    { type: status === 'queued' ? 'response.queued' : 'response.in_progress', response: begun },
    ...asObjects(body.output).flatMap(itemEvents),
    ...(isOver ? [{ type: `response.${status}`, response: whole }] : []),
  ];
  return Buffer.concat(
    events.map(({ type, ...fields }, sequence_number) => encodeFrame(JSON.stringify({ type, sequence_number, ...fields }), type)),
  );
}

function itemEvents(item: JsonObject, output_index: number): WireEvent[] {
  const { start, steps } = stepsOf(item, { item_id: item.id, output_index });
  const added = start === undefined ? itemAdded(item, output_index) : itemAdded({ ...item, ...start }, output_index);
  return [added, ...steps, { type: 'response.output_item.done', output_index, item }];
}

interface Steps {
  /** What the item is at first; undefined = as it is. */
  readonly start: JsonObject | undefined;
  readonly steps: readonly WireEvent[];
}

function stepsOf(item: JsonObject, at: JsonObject): Steps {
  const status = 'in_progress';
  switch (item.type) {
    case 'message':
      return {
        start: { status, content: [] },
        steps: asObjects(item.content).flatMap((part, k) => contentEvents(part, { ...at, content_index: k })),
      };
    case 'function_call':
      return { start: { status, arguments: '' }, steps: written('function_call_arguments', 'arguments', item, at) };
    case 'custom_tool_call':
      return { start: { status, input: '' }, steps: written('custom_tool_call_input', 'input', item, at) };
    case 'reasoning':
      return {
        start: { summary: [] },
        steps: asObjects(item.summary).flatMap((part, k) => sectionEvents(part, { ...at, summary_index: k })),
      };
    case 'code_interpreter_call':
      return hosted(item, at, {
        start: { code: '', outputs: null },
        steps: written('code_interpreter_call_code', 'code', item, at),
      });
    case 'mcp_call':
      return hosted(item, at, {
        start: { arguments: '', output: null, error: null },
        steps: written('mcp_call_arguments', 'arguments', item, at),
      });
    default:
      return entryOf(workOf, asText(item.type)) === undefined ? { start: undefined, steps: [] } : hosted(item, at);
  }
}

/** What the vendor's own tools do between their begin and their end. */
const workOf: Readonly<Record<string, readonly string[]>> = {
  code_interpreter_call: ['interpreting'],
  web_search_call: ['searching'],
  file_search_call: ['searching'],
  image_generation_call: ['generating'],
  mcp_call: [],
};

/** A tool that the vendor runs itself; `own` = what the model writes for it. */
function hosted(item: JsonObject, at: JsonObject, own: Steps = { start: {}, steps: [] }): Steps {
  const { type, status = 'completed' } = item;
  const step = (word: unknown) => ({ type: `response.${type}.${word}`, ...at });
  const ended = status === 'completed' || (status === 'failed' && type === 'mcp_call') ? [step(status)] : [];
  const work = entryOf(workOf, asText(type)) ?? [];
  return {
    start: { status: 'in_progress', ...own.start },
    steps: [step('in_progress'), ...own.steps, ...work.map(step), ...ended],
  };
}

/** What a model wrote for a tool. */
function written(name: string, member: string, item: JsonObject, at: JsonObject): WireEvent[] {
  const text = asText(item[member]);
  const delta = text === '' ? [] : [{ type: `response.${name}.delta`, ...at, delta: text }];
  return [...delta, { type: `response.${name}.done`, ...at, name: item.name, [member]: text }];
}

function contentEvents(part: JsonObject, place: JsonObject): WireEvent[] {
  const member = part.type === 'refusal' ? 'refusal' : 'text';
  const empty = part.type === 'refusal' ? { refusal: '' } : { text: '', annotations: [], logprobs: [] };
  const added = { type: 'response.content_part.added', ...place, part: { ...part, ...empty } };
  const text = asText(part[member]);
  const logprobs = part.type === 'refusal' ? {} : { logprobs: part.logprobs ?? [] };
  const kind = part.type === 'refusal' ? 'refusal' : 'output_text';
  const delta = text === '' ? [] : [{ type: `response.${kind}.delta`, ...place, delta: text, ...logprobs }];
  return [added, ...delta, ...contentDone(part, place)];
}

function sectionEvents(part: JsonObject, place: JsonObject): WireEvent[] {
  const text = asText(part.text);
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...(text === '' ? [] : [{ type: 'response.reasoning_summary_text.delta', ...place, delta: text }]),
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}
