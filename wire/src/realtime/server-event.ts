import { asNumber, asObject, asText, type JsonObject, parseObject } from '../json.ts';
import { findMember, memberText } from '../json-member.ts';
import { type JsonScan, scanObject } from '../json-scan.ts';
import type { TokenUsage } from '../usage.ts';
import { type SoundFormats, soundFormats } from './sound.ts';
import { readRealtimeUsage } from './usage.ts';

/** What a gateway must know of an upstream's message; everything passes through. */
export type ServerEvent =
  /** `isNew`: it is open. `transcriber`: the model that writes down what the caller says; absent = nobody does. */
  | { readonly kind: 'session'; readonly isNew: boolean; readonly sound: SoundFormats; readonly transcriber?: string }
  /** A turn of the model begins, asked for or because the caller fell silent. */
  | { readonly kind: 'begun'; readonly responseId: string }
  /** A piece of an answer, in bytes of text or of sound. */
  | { readonly kind: 'said'; readonly responseId: string; readonly textBytes: number; readonly soundBytes: number }
  | {
      readonly kind: 'done';
      readonly responseId: string;
      /** The upstream told what was used, be it nothing. */
      readonly isCounted: boolean;
      readonly usage: TokenUsage | undefined;
    }
  | Transcribed
  /** Of the session, or of what the caller said. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'other' };

/** What the caller said was written down, by a model of its own that is paid for beside the answers. */
export interface Transcribed {
  readonly kind: 'transcribed';
  /** Of the item and its part: told once. */
  readonly itemId: string;
  readonly usage: TokenUsage | undefined;
  /** Of sound, where the upstream counts that instead of tokens. */
  readonly seconds: number | undefined;
  readonly textBytes: number;
}

const maxTypeBytes = 128;
const maxIdBytes = 256;
const other: ServerEvent = { kind: 'other' };
const failure = /^error$|\.failed$/;
const delta = /^response\.(?:output_)?(?:text|audio|audio_transcript|function_call_arguments|mcp_call_arguments)\.delta$/;
const soundDelta = /^response\.(?:output_)?audio\.delta$/;

/** Never throws. Sound, the bulk of a session, is not parsed. */
export function readServerEvent(message: Buffer): ServerEvent {
  const result = scanObject(message);
  if (!result.ok) return whole(parseObject(message.toString('utf8')) ?? {});
  const { scan } = result;
  const type = memberText(message, findMember(scan, 'type'), maxTypeBytes) ?? '';
  if (delta.test(type)) return said(message, scan, soundDelta.test(type));
  return wholes.has(type) || failure.test(type) ? whole(parseObject(message.toString('utf8')) ?? {}) : other;
}

const transcribed = 'conversation.item.input_audio_transcription.completed';
const wholes: ReadonlySet<string> = new Set([
  ...['session.created', 'session.updated', 'transcription_session.created', 'transcription_session.updated'],
  ...['response.created', 'response.done', transcribed],
]);

function said(message: Buffer, scan: JsonScan, isSound: boolean): ServerEvent {
  const responseId = memberText(message, findMember(scan, 'response_id'), maxIdBytes) ?? '';
  const piece = findMember(scan, 'delta');
  const bytes = piece?.kind === 'string' ? piece.valueEnd - piece.valueStart - 2 : 0;
  // Sound comes in base64.
  return { kind: 'said', responseId, textBytes: isSound ? 0 : bytes, soundBytes: isSound ? Math.floor((bytes * 3) / 4) : 0 };
}

function whole(event: JsonObject): ServerEvent {
  const response = asObject(event.response);
  const responseId = asText(response?.id).slice(0, maxIdBytes);
  switch (event.type) {
    case 'session.created':
    case 'session.updated':
    case 'transcription_session.created':
    case 'transcription_session.updated':
      return sessionOf(asObject(event.session) ?? {}, event.type.endsWith('created'));
    case transcribed:
      return transcriptOf(event);
    case 'response.created':
      return { kind: 'begun', responseId };
    case 'response.done': {
      const isCounted = asObject(response?.usage) !== undefined;
      return { kind: 'done', responseId, isCounted, usage: readRealtimeUsage(response?.usage) };
    }
    default:
      return failure.test(asText(event.type)) ? { kind: 'failed' } : other;
  }
}

function sessionOf(session: JsonObject, isNew: boolean): ServerEvent {
  const wanted = asObject(asObject(asObject(session.audio)?.input)?.transcription ?? session.input_audio_transcription);
  const transcriber = asText(wanted?.model).slice(0, maxIdBytes);
  return { kind: 'session', isNew, sound: soundFormats(session), ...(transcriber === '' ? {} : { transcriber }) };
}

const maxSeconds = 86_400;

function transcriptOf(event: JsonObject): Transcribed {
  const { seconds } = asObject(event.usage) ?? {};
  return {
    kind: 'transcribed',
    itemId: `${asText(event.item_id).slice(0, maxIdBytes)}/${asNumber(event.content_index) || 0}`,
    usage: readRealtimeUsage(event.usage),
    seconds: typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, maxSeconds) : undefined,
    textBytes: Buffer.byteLength(asText(event.transcript)),
  };
}
