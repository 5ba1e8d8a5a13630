import type { WireError } from '../../error.ts';
import { asObject, asText, type JsonObject } from '../../json.ts';
import { errorReader, strangeAnswer, vendorError } from '../errors.ts';

/** `{id, message}` without an answer in it. */
function findError(body: JsonObject): WireError | undefined {
  const message = asText(body.message);
  return message === '' ? undefined : vendorError(message, undefined, null);
}

export const readError = errorReader(findError);

export function readFailure(body: JsonObject): WireError | undefined {
  return asObject(body.message) === undefined ? (findError(body) ?? strangeAnswer(body)) : undefined;
}
