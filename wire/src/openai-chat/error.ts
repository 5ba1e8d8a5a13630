import type { WireError } from '../error.ts';
import { encodeFrame } from '../sse.ts';

export { errorIn, errorInOk, isErrorAnswer, readError } from '../error.ts';

/** The body of an error answer in this dialect. */
export function errorBody({ message, type, param, code }: WireError): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

/** The event that ends a stream that failed after its first byte. No `[DONE]` follows it. */
export function errorFrame(error: WireError): Buffer {
  return encodeFrame(errorBody({ ...error, code: codeText(error) }));
}

/** Clients with types read a code as a text; those of other vendors may be numbers. */
export function codeText({ code }: WireError): string | null {
  return code === null ? null : String(code);
}
