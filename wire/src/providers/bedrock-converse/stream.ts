import type { StreamDecoder } from '../../chat/dialect.ts';
import { noArguments } from '../../chat/parts.ts';
import type { ChatEvent, PartHead } from '../../chat/response.ts';
import { asObject, asText, type JsonObject, parseObject } from '../../json.ts';
import type { SseFrame } from '../../sse.ts';
import { readStreamError } from './error.ts';
import { finishOf } from './response.ts';
import { dialect } from './types.ts';
import { readServed, readUsage } from './usage.ts';

interface Open {
  readonly head: PartHead['kind'];
  signature: string;
  isEmpty: boolean;
}

interface State {
  part: number;
  open: Open | undefined;
  started: boolean;
  finished: boolean;
  /** Nothing follows: the end or an error was told. */
  over: boolean;
}

/** Events carry their name beside the payload: `messageStart`, `contentBlockDelta` ... `metadata`, which is the last. */
export function createDecoder(): StreamDecoder {
  const state: State = { part: 0, open: undefined, started: false, finished: false, over: false };
  return {
    push({ event, data }: SseFrame) {
      if (data === undefined || state.over) return [];
      const body = parseObject(data);
      if (body === undefined) return [{ kind: 'malformed' }];
      const error = event === 'error' || asObject(body.error) !== undefined ? readStreamError(body) : undefined;
      if (error === undefined) return read(state, event, body);
      state.over = true;
      return [{ kind: 'error', error }];
    },
    end() {
      if (state.over) return [];
      state.over = true;
      // Of an answer that was cut a call is cut, too.
      if (state.open !== undefined) state.open.isEmpty = false;
      return state.finished ? [...closed(state), { kind: 'end' }] : closed(state);
    },
  };
}

function read(state: State, event: string, body: JsonObject): ChatEvent[] {
  const events: ChatEvent[] = [];
  if (!state.started) events.push({ kind: 'start', id: '', model: '' });
  state.started = true;
  switch (event) {
    case 'contentBlockStart': {
      const call = asObject(asObject(body.start)?.toolUse);
      if (call === undefined) break;
      events.push(...opened(state, { kind: 'tool-call', id: asText(call.toolUseId), name: asText(call.name) }));
      break;
    }
    case 'contentBlockDelta':
      events.push(...delta(state, asObject(body.delta) ?? {}));
      break;
    case 'contentBlockStop':
      events.push(...closed(state));
      break;
    case 'messageStop':
      events.push(...closed(state), { kind: 'finish', choice: 0, finish: finishOf(asText(body.stopReason)) });
      state.finished = true;
      break;
    case 'metadata': {
      const usage = readUsage(body.usage);
      if (usage !== undefined) events.push({ kind: 'usage', usage });
      const served = readServed(body);
      if (served.serviceTier !== undefined) events.push({ kind: 'extra', extra: { dialect, fields: {} }, ...served });
      if (state.finished) events.push({ kind: 'end' });
      state.over = state.finished;
      break;
    }
    default:
  }
  return events;
}

function delta(state: State, piece: JsonObject): ChatEvent[] {
  if (typeof piece.text === 'string') return said(state, { kind: 'text' }, piece.text);
  const call = asObject(piece.toolUse);
  if (call !== undefined) return said(state, { kind: 'tool-call', id: '', name: '' }, asText(call.input));
  const thought = asObject(piece.reasoningContent);
  if (thought === undefined) return [];
  const redacted = asText(thought.redactedContent);
  if (redacted !== '') {
    const before = closed(state);
    const whole: ChatEvent = {
      kind: 'whole',
      choice: 0,
      part: state.part,
      value: { kind: 'reasoning', text: '', redacted, dialect },
    };
    state.part += 1;
    return [...before, whole];
  }
  const events = said(state, { kind: 'reasoning', dialect }, asText(thought.text));
  if (state.open !== undefined) state.open.signature += asText(thought.signature);
  return events;
}

/** Blocks without a start of their own open with their first piece. */
function said(state: State, head: PartHead, text: string): ChatEvent[] {
  const events = state.open?.head === head.kind ? [] : opened(state, head);
  if (text === '') return events;
  events.push({ kind: 'delta', choice: 0, part: state.part, text });
  if (state.open !== undefined) state.open.isEmpty = false;
  return events;
}

function opened(state: State, head: PartHead): ChatEvent[] {
  const events = closed(state);
  state.open = { head: head.kind, signature: '', isEmpty: true };
  events.push({ kind: 'part-start', choice: 0, part: state.part, head });
  return events;
}

function closed(state: State): ChatEvent[] {
  const { open, part } = state;
  if (open === undefined) return [];
  state.open = undefined;
  state.part += 1;
  const tail = open.signature === '' ? {} : { tail: { signature: open.signature } };
  const end: ChatEvent = { kind: 'part-end', choice: 0, part, ...tail };
  const isBare = open.head === 'tool-call' && open.isEmpty;
  return isBare ? [{ kind: 'delta', choice: 0, part, text: noArguments }, end] : [end];
}
