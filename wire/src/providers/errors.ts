import { maxErrorBytes, maxMessageChars, type WireError } from '../error.ts';
import type { JsonObject } from '../json.ts';
import { parseObject } from '../json.ts';
import { errorIn, readError as readForeign } from '../openai-chat/error.ts';

/** The words by which `errorStatus` finds a status for an error that came with 200. */
export type ErrorKind =
  | 'authentication_error'
  | 'permission_error'
  | 'rate_limit_error'
  | 'insufficient_quota'
  | 'overloaded_error'
  | 'invalid_request_error';

/** An upstream's error; `kind` undefined = its fault, or nobody knows whose. */
export function vendorError(message: string, kind: ErrorKind | undefined, code: string | number | null): WireError {
  const text = message.slice(0, maxMessageChars) || 'the upstream answered with an error';
  return { message: text, type: kind ?? 'upstream_error', param: null, code };
}

/** `readError` of a dialect that recognises its own errors with `find`. */
export function errorReader(find: (body: JsonObject) => WireError | undefined): (status: number, body: Buffer) => WireError {
  return (status, body) => {
    const parsed = body.length > maxErrorBytes ? undefined : parseObject(body.toString('utf8'));
    const own = parsed && (find(parsed) ?? errorIn(parsed, status));
    return own ?? readForeign(status, body);
  };
}

/** What is neither an answer nor an error of the dialect, whatever message it has. */
export function strangeAnswer(body: JsonObject): WireError {
  return errorIn(body, 200) ?? vendorError('', undefined, null);
}
