import type { WireError } from '../../error.ts';
import { asObject, asText, type JsonObject } from '../../json.ts';
import { type ErrorKind, errorReader, strangeAnswer, vendorError } from '../errors.ts';

const kinds: readonly (readonly [prefix: RegExp, kind: ErrorKind])[] = [
  [/^AuthFailure\.(UnauthorizedOperation)/, 'permission_error'],
  [/^AuthFailure/, 'authentication_error'],
  [/^(UnauthorizedOperation|OperationDenied)/, 'permission_error'],
  [/^(RequestLimitExceeded|LimitExceeded|FailedOperation\.EngineRequestTimeout)/, 'rate_limit_error'],
  [
    /^(FailedOperation\.(Free)?ResourcePackExhausted|ResourceInsufficient\.ChargeResourceExhausted|ResourceUnavailable\.InArrears)/,
    'insufficient_quota',
  ],
  [/^ResourceInsufficient/, 'rate_limit_error'],
  [
    /^(InvalidParameter|MissingParameter|UnknownParameter|UnsupportedOperation|FailedOperation\.UserUnAuthError)/,
    'invalid_request_error',
  ],
  [/^(FailedOperation\.EngineServer|InternalError)/, 'overloaded_error'],
];

/** Errors come with status 200: `{Response: {Error: {Code, Message}}}`, inside of streams `{ErrorMsg: {Code, Msg}}`. */
export function findError(body: JsonObject): WireError | undefined {
  const inner = asObject(body.Response) ?? body;
  const error = asObject(inner.Error) ?? asObject(inner.ErrorMsg);
  if (error === undefined) return undefined;
  const code = typeof error.Code === 'number' ? error.Code : asText(error.Code);
  const message = asText(error.Message) || asText(error.Msg);
  if (message === '' && (code === '' || code === 0)) return undefined;
  return vendorError(message, kinds.find(([prefix]) => prefix.test(String(code)))?.[1], code === '' ? null : code);
}

export const readError = errorReader(findError);

export function readFailure(body: JsonObject): WireError | undefined {
  const found = findError(body);
  if (found !== undefined) return found;
  return Array.isArray((asObject(body.Response) ?? body).Choices) ? undefined : strangeAnswer(body);
}
