import { asObject, parseObject } from '../json.ts';
import { findMember, memberBoolean, memberText } from '../json-member.ts';
import { type JsonScan, scanObject } from '../json-scan.ts';
import { splice } from '../splice.ts';
import { decodeFrame } from '../sse.ts';
import type { TokenUsage } from '../usage.ts';
import { encodeResponse } from './encode-response.ts';
import { previousResponseId } from './request.ts';
import { unfold } from './unfold.ts';

/** The dialect over a WebSocket: the body of a call in each message, the events of its answer in messages of their own. */
const maxTypeBytes = 64;
const maxLaneBytes = 256;

/** What a message asks for. */
export type SocketAsk =
  | ResponseCreate
  /** What only informs. */
  | { readonly kind: 'ignored' }
  /** Words for an answer that is under way. */
  | { readonly kind: 'steer'; readonly refusal: string }
  | { readonly kind: 'invalid'; readonly reason: string };

export interface ResponseCreate {
  readonly kind: 'create';
  /** The caller's word for the lane that it runs in; undefined = the common one. */
  readonly lane: string | undefined;
  readonly model: string;
  /** Raw JSON texts of what is said anew, joined by commas; "" = nothing. */
  readonly input: string;
  /** What it continues. */
  readonly previousId: string | undefined;
  /** It begins with what its upstream keeps elsewhere. */
  readonly isInConversation: boolean;
  /** Its upstream may be asked to continue it. */
  readonly isKept: boolean;
  /** False: it prepares what a later one continues, and wants no answer. */
  readonly generates: boolean;
  /** The call that it is, streamed. `before`: items in front of its own, instead of what it continues. */
  call(before?: string): Buffer;
}

/** Never throws. */
export function readSocketAsk(bytes: Buffer): SocketAsk {
  const result = scanObject(bytes);
  if (!result.ok) return invalid('a message must be one JSON object');
  const { scan } = result;
  const type = memberText(bytes, findMember(scan, 'type'), maxTypeBytes);
  if (type === 'response.processed') return { kind: 'ignored' };
  if (type === 'response.steer') return { kind: 'steer', refusal: notSteered(bytes, scan) };
  if (type !== 'response.create') return invalid('the type of a message must be response.create');
  const lane = findMember(scan, 'stream_id');
  const named = memberText(bytes, lane, maxLaneBytes);
  if (named === undefined && lane !== undefined && lane.kind !== 'null') return invalid('stream_id is invalid');
  const input = inputItems(bytes, scan);
  const bool = (name: string) => memberBoolean(bytes, findMember(scan, name));
  return {
    kind: 'create',
    lane: named,
    model: memberText(bytes, findMember(scan, 'model'), 1_024) ?? '',
    input,
    previousId: previousResponseId(bytes, scan),
    isInConversation: (findMember(scan, 'conversation')?.kind ?? 'null') !== 'null',
    isKept: bool('store') !== false,
    generates: bool('generate') !== false,
    call(before) {
      const plan = new Map<string, string | null>([
        ['type', null],
        ['generate', null],
        ['stream_id', null],
        ['stream', 'true'],
      ]);
      if (before !== undefined) plan.set('previous_response_id', null).set('input', `[${joined([before, input])}]`);
      return splice(bytes, scan, plan);
    },
  };
}

const notSteerable = {
  type: 'invalid_request_error',
  code: 'steering_not_supported',
  message: 'an answer that is under way takes no more input here: send it with the next response.create',
};

/** Gives back what was said. An `error` would end the answer that is under way: clients take it for that one's. */
function notSteered(bytes: Buffer, scan: JsonScan): string {
  const raw = (name: string) => {
    const member = findMember(scan, name);
    return member === undefined ? 'null' : bytes.toString('utf8', member.valueStart, member.valueEnd);
  };
  const steer = `{"previous_response_id":${raw('previous_response_id')},"input":${raw('input')}}`;
  return `{"type":"response.steer.failed","sequence_number":0,"error":${JSON.stringify(notSteerable)},"steer":${steer}}`;
}

function inputItems(bytes: Buffer, scan: JsonScan): string {
  const member = findMember(scan, 'input');
  const raw = member === undefined ? '' : bytes.toString('utf8', member.valueStart, member.valueEnd);
  if (member?.kind === 'array') return raw.slice(1, -1).trim();
  return member?.kind === 'string' ? `{"role":"user","content":${raw}}` : '';
}

const invalid = (reason: string): SocketAsk => ({ kind: 'invalid', reason });

/** Lists of items as one. */
export const joined = (lists: readonly string[]): string => lists.filter((items) => items !== '').join(',');

/** What an event of an answer means for the conversation. */
export interface SocketEvent {
  /** The message; undefined = there is none. */
  readonly text: string | undefined;
  /** An item that is whole, as a later call may say it; "" = it cannot. */
  readonly item?: string | undefined;
  /** Nothing comes behind it. `responseId`: of an answer that can be continued. */
  readonly end?: { readonly responseId?: string | undefined };
}

/** One frame of the streamed answer as a message. Never throws. */
export function socketEvent(frame: Buffer): SocketEvent {
  const { event, data } = decodeFrame(frame);
  if (data === undefined || data === '[DONE]') return { text: undefined };
  switch (event === '' ? (/^\{\s*"type"\s*:\s*"([\w.]+)"/.exec(data)?.[1] ?? '') : event) {
    case 'response.output_item.done':
      return { text: data, item: itemAgain(parseObject(data)?.item) };
    case 'response.completed':
    case 'response.incomplete': {
      const id = asObject(parseObject(data)?.response)?.id;
      return { text: data, end: { responseId: typeof id === 'string' ? id : undefined } };
    }
    case 'response.failed':
      return { text: data, end: {} };
    case 'error':
      return { text: socketError(502, data), end: {} };
    default:
      return { text: data };
  }
}

/** Thoughts without their content are known to the upstream alone, and only while it keeps them. */
function itemAgain(item: unknown): string {
  const { type, encrypted_content: content } = asObject(item) ?? {};
  return type === undefined || (type === 'reasoning' && typeof content !== 'string') ? '' : JSON.stringify(item);
}

/** An error as a message. `body`: as it is told over HTTP, or as an event of a stream. */
export function socketError(status: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const told = parseObject(body);
  const { type: _, sequence_number: __, ...flat } = told ?? { message: body };
  // The vendor's types have them inside, its agent reads them beside.
  const more = Object.keys(headers).length === 0 ? {} : { headers };
  return JSON.stringify({ type: 'error', status, error: { ...(asObject(told?.error) ?? flat), ...more }, ...more });
}

/** The message with the lane that it belongs to. */
export function inLane(text: string, lane: string | undefined): string {
  return lane === undefined ? text : `{"stream_id":${JSON.stringify(lane)},${text.slice(text.indexOf('{') + 1)}`;
}

/** The stream of an answer without words, which a later call continues. */
export function emptyAnswer(id: string, model: string, created: number): Buffer {
  const context = { id, model, created, wantsUsage: true, promptEstimate: 0 };
  return unfold(encodeResponse({ id, model, answers: [{ parts: [] }] }, context).body, { wantsUsage: true, charged: nothing });
}

const nothing: TokenUsage = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
