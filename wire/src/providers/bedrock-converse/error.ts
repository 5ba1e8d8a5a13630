import type { WireError } from '../../error.ts';
import { asObject, asText, type JsonObject } from '../../json.ts';
import { errorReader, strangeAnswer, vendorError } from '../errors.ts';

/** `{message}` with the kind in a header, `{Message}`, `{__type, message}`, or the error of an event stream. */
function findError(body: JsonObject): WireError | undefined {
  const { error } = body;
  const inner = asObject(error);
  if (inner !== undefined && asText(inner.message) !== '')
    return {
      message: asText(inner.message),
      type: asText(inner.type) || 'upstream_error',
      param: null,
      code: asText(inner.code) || null,
    };
  const message = asText(body.message) || asText(body.Message);
  if (message === '' || 'output' in body) return undefined;
  const kind = asText(body.__type).replace(/^.*#/, '');
  return { ...vendorError(message, undefined, kind === '' ? null : kind), type: kind || 'upstream_error' };
}

export const readError = errorReader(findError);
export const readStreamError = findError;

export function readFailure(body: JsonObject): WireError | undefined {
  return asObject(asObject(body.output)?.message) === undefined ? (findError(body) ?? strangeAnswer(body)) : undefined;
}
