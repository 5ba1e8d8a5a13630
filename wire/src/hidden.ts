import type { WireError } from './error.ts';
import { asObject, type JsonObject, parseObject } from './json.ts';
import { decodeFrame, encodeFrame } from './sse.ts';

/** Takes out of a text what no caller may see. */
export type Hide = (text: string) => string;

/** Where a failed response says why; the rest of it is the model's and the caller's own. */
const reasons = ['error', 'status_details'];

/** JSON in which an upstream says that it failed, without what has to be hidden; undefined = there is nothing. Never throws. */
export function hiddenJson(json: string, hide: Hide): string | undefined {
  const body = parseObject(json);
  if (body === undefined) return changed(json, hide(json));
  const response = asObject(body.response);
  const telling = response === undefined ? body : { ...body, response: reasonsIn(response) };
  const hidden = JSON.stringify(telling, (_, value: unknown) => (typeof value === 'string' ? hide(value) : value));
  const shown = changed(JSON.stringify(telling), hidden);
  if (shown === undefined || response === undefined) return shown;
  const clean = JSON.parse(shown) as JsonObject;
  return JSON.stringify({ ...clean, response: { ...response, ...asObject(clean.response) } });
}

function changed(before: string, after: string): string | undefined {
  return before === after ? undefined : after;
}

function reasonsIn(response: JsonObject): JsonObject {
  return Object.fromEntries(reasons.filter((name) => name in response).map((name) => [name, response[name]]));
}

/** An error event for who reads the upstream's own stream: the same bytes where nothing in it has to be hidden. */
export function hiddenFrame(frame: Buffer, hide: Hide | undefined): Buffer {
  const { data, event } = decodeFrame(frame);
  const shown = hide === undefined || data === undefined ? undefined : hiddenJson(data, hide);
  return shown === undefined ? frame : encodeFrame(shown.replaceAll(/[\r\n]+/g, ' '), event);
}

/** The same for who is told in another dialect. */
export function hiddenError(error: WireError, hide: Hide | undefined): WireError {
  if (hide === undefined) return error;
  const { message, type, param, code } = error;
  return {
    message: hide(message),
    type: hide(type),
    param: param === null ? null : hide(param),
    code: typeof code === 'string' ? hide(code) : code,
  };
}
