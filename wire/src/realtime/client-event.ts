import { asObject, type JsonObject, parseObject } from '../json.ts';
import { findMember, memberText } from '../json-member.ts';
import { scanObject } from '../json-scan.ts';

/** What a gateway must know of a caller's message. */
export type ClientEvent =
  /** Bytes of sound. */
  | { readonly kind: 'heard'; readonly soundBytes: number }
  /** It may hold words or settings. */
  | { readonly kind: 'spelled'; readonly event: JsonObject; readonly textBytes: number }
  | { readonly kind: 'other' }
  | { readonly kind: 'invalid'; readonly reason: string };

const maxTypeBytes = 128;
const spelled: ReadonlySet<string> = new Set(['conversation.item.create', 'response.create']);

/**
 * Never throws. A message that is no JSON object, or whose members can be read in two ways, is invalid: the upstream
 * might see in it what was not seen here.
 */
export function readClientEvent(message: Buffer): ClientEvent {
  const result = scanObject(message);
  if (!result.ok) return { kind: 'invalid', reason: result.reason };
  const { scan } = result;
  const type = memberText(message, findMember(scan, 'type'), maxTypeBytes);
  if (type === undefined) return { kind: 'invalid', reason: 'type is required' };
  if (type === 'input_audio_buffer.append') {
    const audio = findMember(scan, 'audio');
    const base64 = audio?.kind === 'string' ? audio.valueEnd - audio.valueStart - 2 : 0;
    return { kind: 'heard', soundBytes: Math.floor((base64 * 3) / 4) };
  }
  if (!spelled.has(type) && !setsUp(type)) return { kind: 'other' };
  const event = parseObject(message.toString('utf8'));
  if (event === undefined) return { kind: 'invalid', reason: 'the message is not valid JSON' };
  return { kind: 'spelled', event, textBytes: setsUp(type) ? 0 : scan.textBytes };
}

/** `session.update`, or that of one of its relatives. */
function setsUp(type: string): boolean {
  return /session\.update$/.test(type);
}

const places = ['session', 'response'] as const;

/** The model that a caller's event names; undefined = none. */
export function modelNamed(event: JsonObject): unknown {
  return places.map((place) => asObject(event[place])?.model).find((model) => model !== undefined);
}

/** Where a session, by the newer words or the older, says who writes down what the caller says. */
const writers = [
  ['session', 'audio', 'input', 'transcription'],
  ['session', 'input_audio_transcription'],
] as const;

/** The model that is to write down what the caller says; undefined = none is named. */
export function transcriberNamed(event: JsonObject): unknown {
  return writers.map((path) => memberAt(event, path)?.model).find((model) => model !== undefined);
}

/** The same event with the upstream's name of the model that writes down, wherever it named one. */
export function withTranscriber(event: JsonObject, model: string): JsonObject {
  return writers.reduce(
    (told, path) => (memberAt(told, path)?.model === undefined ? told : withMember(told, path, model)),
    event,
  );
}

function memberAt(event: JsonObject, path: readonly string[]): JsonObject | undefined {
  return path.reduce<JsonObject | undefined>((at, name) => asObject(at?.[name]), event);
}

function withMember(object: JsonObject, [name, ...rest]: readonly string[], model: string): JsonObject {
  return name === undefined ? { ...object, model } : { ...object, [name]: withMember(asObject(object[name]) ?? {}, rest, model) };
}

/** The same event with the upstream's name of the model, wherever it named one. */
export function withModel(event: JsonObject, model: string): JsonObject {
  const named = places.filter((place) => asObject(event[place])?.model !== undefined);
  return named.reduce((told, place) => withMember(told, [place], model), event);
}
