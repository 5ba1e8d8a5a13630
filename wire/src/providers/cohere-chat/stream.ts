import type { StreamDecoder } from '../../chat/dialect.ts';
import { noArguments } from '../../chat/parts.ts';
import type { ChatEvent, PartHead } from '../../chat/response.ts';
import { asNumber, asObject, asText, type JsonObject, parseObject } from '../../json.ts';
import type { SseFrame } from '../../sse.ts';
import { vendorError } from '../errors.ts';
import { finishOf, readUsage } from './response.ts';
import { dialect } from './types.ts';

interface State {
  part: number;
  /** `isBare`: a call for which nothing was written yet. */
  open: { readonly key: string; readonly citations: JsonObject[]; isBare: boolean } | undefined;
  over: boolean;
}

/** Events name themselves in `type`; `message-end` is the last. A text stays open for the citations behind it. */
export function createDecoder(): StreamDecoder {
  const state: State = { part: 0, open: undefined, over: false };
  return {
    push({ data }: SseFrame) {
      if (data === undefined || state.over) return [];
      const body = parseObject(data);
      return body === undefined ? [{ kind: 'malformed' }] : read(state, body);
    },
    end() {
      // Of an answer that was cut a call is cut, too.
      if (state.open !== undefined) state.open.isBare = false;
      return state.over ? [] : closed(state);
    },
  };
}

function read(state: State, body: JsonObject): ChatEvent[] {
  const delta = asObject(body.delta) ?? {};
  const message = asObject(delta.message) ?? {};
  switch (body.type) {
    case 'message-start':
      return [{ kind: 'start', id: asText(body.id), model: '' }];
    case 'content-start':
    case 'content-delta':
      return content(state, asObject(message.content) ?? {});
    case 'tool-plan-delta':
      return said(state, 'plan', { kind: 'reasoning', dialect }, asText(message.tool_plan));
    case 'tool-call-start':
    case 'tool-call-delta':
      return call(state, `call ${asNumber(body.index)}`, asObject(message.tool_calls) ?? {}, body.type === 'tool-call-start');
    case 'citation-start': {
      const citation = asObject(message.citations);
      if (citation !== undefined) state.open?.citations.push(citation);
      return [];
    }
    case 'message-end':
      return ended(state, delta);
    default:
      return typeof body.type === 'string' ? [] : failed(state, body);
  }
}

function content(state: State, block: JsonObject): ChatEvent[] {
  const thought = asText(block.thinking);
  if (thought !== '') return said(state, 'thinking', { kind: 'reasoning', dialect }, thought);
  const text = asText(block.text);
  return text === '' ? [] : said(state, 'text', { kind: 'text' }, text);
}

function call(state: State, key: string, piece: JsonObject, isStart: boolean): ChatEvent[] {
  const inner = asObject(piece.function);
  const text = asText(inner?.arguments);
  if (!isStart && state.open?.key !== key) return [];
  return said(state, key, { kind: 'tool-call', id: asText(piece.id), name: asText(inner?.name) }, text);
}

function said(state: State, key: string, head: PartHead, text: string): ChatEvent[] {
  const events = state.open?.key === key ? [] : closed(state);
  if (state.open === undefined) {
    state.open = { key, citations: [], isBare: head.kind === 'tool-call' };
    events.push({ kind: 'part-start', choice: 0, part: state.part, head });
  }
  if (text === '') return events;
  state.open.isBare = false;
  events.push({ kind: 'delta', choice: 0, part: state.part, text });
  return events;
}

function closed(state: State): ChatEvent[] {
  const { open, part } = state;
  if (open === undefined) return [];
  state.open = undefined;
  state.part += 1;
  const tail = open.key === 'text' && open.citations.length > 0 ? { tail: { citations: open.citations } } : {};
  const bare: ChatEvent[] = open.isBare ? [{ kind: 'delta', choice: 0, part, text: noArguments }] : [];
  return [...bare, { kind: 'part-end', choice: 0, part, ...tail }];
}

function ended(state: State, delta: JsonObject): ChatEvent[] {
  const reason = asText(delta.finish_reason);
  const error = asText(delta.error);
  if (error !== '' && (reason === '' || reason === 'ERROR')) return failed(state, { message: error });
  const usage = readUsage(delta.usage);
  const events = closed(state);
  events.push({ kind: 'finish', choice: 0, finish: finishOf(reason) });
  if (usage !== undefined) events.push({ kind: 'usage', usage });
  state.over = true;
  return [...events, { kind: 'end' }];
}

function failed(state: State, body: JsonObject): ChatEvent[] {
  const inner = asObject(body.error);
  const message = asText(inner?.message) || asText(body.error) || asText(body.message);
  if (message === '') return [{ kind: 'malformed' }];
  state.over = true;
  return [{ kind: 'error', error: vendorError(message, undefined, null) }];
}
