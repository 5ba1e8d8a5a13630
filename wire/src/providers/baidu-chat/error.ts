import type { WireError } from '../../error.ts';
import { asText, type JsonObject } from '../../json.ts';
import { type ErrorKind, errorReader, strangeAnswer, vendorError } from '../errors.ts';

/** 100 to 111: key and token; 4, 17 to 19 and 3365xx: too many or nothing left; the rest of 336xxx: the request. */
function kindOf(code: number): ErrorKind | undefined {
  if (code === 6 || code === 336_004) return 'permission_error';
  if (code === 100 || (code >= 110 && code <= 111) || code === 13 || code === 14) return 'authentication_error';
  if (code === 4 || (code >= 17 && code <= 19) || (code >= 336_500 && code <= 336_509)) return 'rate_limit_error';
  if (code === 2 || code === 336_000 || code === 336_100 || code === 336_200) return 'overloaded_error';
  return (code >= 336_001 && code <= 336_199) || code === 3 ? 'invalid_request_error' : undefined;
}

/** Errors come with status 200: `{error_code, error_msg}`. */
export function findError(body: JsonObject): WireError | undefined {
  const { error_code: code } = body;
  if (typeof code !== 'number' || code === 0) return undefined;
  return vendorError(asText(body.error_msg), kindOf(code), code);
}

export const readError = errorReader(findError);

export function readFailure(body: JsonObject): WireError | undefined {
  const found = findError(body);
  if (found !== undefined) return found;
  return typeof body.result === 'string' || callPresent(body) ? undefined : strangeAnswer(body);
}

function callPresent({ function_call: call }: JsonObject): boolean {
  return typeof call === 'object' && call !== null;
}
