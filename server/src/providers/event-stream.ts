import { crc32 } from 'node:zlib';
import { entryOf, parseObject } from '@tollgate/wire';

/** What stands at the front of the bytes. */
export type MessageReading =
  | { readonly kind: 'message'; readonly length: number; readonly event: string }
  | { readonly kind: 'more'; readonly wantedBytes: number }
  | { readonly kind: 'fault'; readonly fault: 'frame-too-long' | 'malformed' };

const preludeBytes = 12;
const checksumBytes = 4;
const malformed = { kind: 'fault', fault: 'malformed' } as const;

/**
 * Reads one message of application/vnd.amazon.eventstream: lengths, their checksum, headers, payload, checksum of all.
 * A payload `{"bytes": base64}` holds an event of the model's own dialect; any other becomes an event of that name. An
 * exception becomes an error event. Never throws.
 */
export function readMessage(bytes: Buffer, limitBytes: number): MessageReading {
  if (bytes.length < preludeBytes) return { kind: 'more', wantedBytes: preludeBytes };
  const length = bytes.readUInt32BE(0);
  const headersLength = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) return malformed;
  if (length > limitBytes) return { kind: 'fault', fault: 'frame-too-long' };
  const headersEnd = preludeBytes + headersLength;
  if (headersEnd + checksumBytes > length) return malformed;
  if (bytes.length < length) return { kind: 'more', wantedBytes: length };
  const payloadEnd = length - checksumBytes;
  if (crc32(bytes.subarray(0, payloadEnd)) !== bytes.readUInt32BE(payloadEnd)) return malformed;
  const headers = readHeaders(bytes.subarray(preludeBytes, headersEnd));
  if (headers === undefined) return malformed;
  return { kind: 'message', length, event: eventOf(headers, bytes.subarray(headersEnd, payloadEnd).toString('utf8')) };
}

/** Sizes of header values by type; types 6 and 7 (bytes, text) say their own. */
const fixedSizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const textType = 7;

/** The text headers; undefined when they do not fill the space they claim. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd] ?? fixedSizes.length;
    let valueStart = nameEnd + 1;
    let size = fixedSizes[type];
    if (size === undefined) {
      if (type >= fixedSizes.length || valueStart + 2 > bytes.length) return undefined;
      size = bytes.readUInt16BE(valueStart);
      valueStart += 2;
    }
    if (valueStart + size > bytes.length) return undefined;
    if (type === textType)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueStart + size));
    at = valueStart + size;
  }
  return headers;
}

function eventOf(headers: ReadonlyMap<string, string>, payload: string): string {
  const kind = headers.get(':message-type');
  if (kind === 'exception') return errorEvent(headers.get(':exception-type') ?? 'exception', messageIn(payload));
  if (kind === 'error') return errorEvent(headers.get(':error-code') ?? 'error', headers.get(':error-message') ?? '');
  const inner = innerEvent(payload);
  if (inner !== undefined) return inner;
  return `event: ${oneLine(headers.get(':event-type') ?? 'message')}\ndata: ${oneLine(payload)}\n\n`;
}

/** The model's own event inside of a chunk. */
function innerEvent(payload: string): string | undefined {
  const bytes = parseObject(payload)?.bytes;
  if (typeof bytes !== 'string') return undefined;
  const text = oneLine(Buffer.from(bytes, 'base64').toString('utf8'));
  const type = parseObject(text)?.type;
  return typeof type === 'string' ? `event: ${oneLine(type)}\ndata: ${text}\n\n` : `data: ${text}\n\n`;
}

/** What an exception means, in words that every dialect's reader of errors knows. */
const errorTypes: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  serviceQuotaExceededException: 'rate_limit_error',
  modelNotReadyException: 'overloaded_error',
  serviceUnavailableException: 'overloaded_error',
  validationException: 'invalid_request_error',
  accessDeniedException: 'permission_error',
  resourceNotFoundException: 'not_found_error',
};

function errorEvent(exception: string, message: string): string {
  const code = exception.charAt(0).toLowerCase() + exception.slice(1);
  const error = { type: entryOf(errorTypes, code) ?? 'api_error', message: message || exception, code: exception };
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
}

function messageIn(payload: string): string {
  const { message, Message } = parseObject(payload) ?? {};
  const found = message ?? Message;
  return typeof found === 'string' ? found : payload;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}
