import type { IncomingHttpHeaders } from 'node:http';
import { type chat, type geminiGenerate, type JsonObject, type RequestPeek, readJson } from '@tollgate/wire';
import type { Protocol } from '../providers/index.ts';
import { localFault } from './faults.ts';
import type { ResponseOwner } from './response-owners.ts';
import type { Upload } from './upload.ts';

/** That an inquiry leans on what an upstream keeps. */
export interface Continued {
  /** The member that says so. */
  readonly field: 'previous_response_id' | 'conversation';
  readonly responseId?: string;
  /** Who keeps it; undefined = nobody here knows. */
  readonly owner?: ResponseOwner;
}

/** A request as it came: whose protocol, the caller's bytes, and what was read of them. */
export interface Inquiry {
  readonly protocol: Protocol;
  readonly surface: chat.Surface;
  readonly bytes: Buffer;
  readonly peek: RequestPeek;
  /** The caller's query, where an upstream may want it. */
  readonly query: URLSearchParams | undefined;
  readonly upload?: Upload;
  /** What was lost when the request was brought into the canonical shape. */
  readonly losses?: readonly string[];
  /** Of a request for vectors: its texts, with what the canonical shape cannot say of them. */
  readonly inputs?: readonly geminiGenerate.EmbedInput[];
  /** What it continues that an upstream keeps. */
  readonly continues?: Continued;
  /** Spells a canonical answer as the caller wants it. */
  spell?(answer: JsonObject): JsonObject;
  /** The caller's header of that lower-case name. */
  header(name: string): string | undefined;
}

/** What an inquiry may ask of its request's headers. */
export function headerOf({ headers }: { readonly headers: IncomingHttpHeaders }): Inquiry['header'] {
  return (name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
}

/** What an upstream may read beside the texts. */
export function titlesOf({ inputs = [] }: Pick<Inquiry, 'inputs'>): string[] {
  return inputs.flatMap(({ title }) => title ?? []);
}

const decodedRequests = new WeakMap<Inquiry, chat.Decoded>();

/** The request without its dialect; read once however many channels are tried. */
export function decodedRequest(inquiry: Inquiry, dialect: chat.ClientDialect): chat.Decoded {
  const known = decodedRequests.get(inquiry);
  if (known !== undefined) return known;
  const { model, stream } = inquiry.peek;
  const decoded = dialect.decodeRequest(parsed(inquiry.bytes), { model, stream });
  decodedRequests.set(inquiry, decoded);
  return decoded;
}

/** What an answer may repeat of its request. */
export function echoed({ messages: _said, ...rest }: chat.ChatRequest): chat.AnswerContext['request'] {
  return rest;
}

/** Who asks again reads it again. */
export function forgetDecoded(inquiry: Inquiry): void {
  decodedRequests.delete(inquiry);
}

/**
 * The members of a body whose structure was checked. The inside of its texts was not: throws RelayFault for one that no
 * JSON may hold, an unescaped line break say.
 */
export function bodyOf(bytes: Buffer): JsonObject {
  try {
    return JSON.parse(bytes.toString('utf8')) as JsonObject;
  } catch {
    throw localFault('invalid_text_request', { reason: 'a text in the JSON body holds a character that must be escaped' });
  }
}

/** The scan has checked that it is one JSON object; what it left unread may still be wrong. */
function parsed(bytes: Buffer): JsonObject {
  try {
    return readJson(bytes.toString('utf8')) as JsonObject;
  } catch {
    return {};
  }
}
