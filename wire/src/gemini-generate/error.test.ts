import { expect, test } from 'vitest';
import type { WireError } from '../error.ts';
import { errorBody, readError } from './error.ts';

const plain = { param: null, code: null };

test.each([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [413, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [502, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])('%i is told as %s', (status, name) => {
  const { error } = JSON.parse(errorBody({ message: 'no', type: 'new_api_error', ...plain }, status));
  expect(error).toMatchObject({ code: status, message: 'no', status: name });
});

test.each<WireError>([
  { message: 'no', type: 'new_api_error', param: '', code: 'insufficient_user_quota' },
  { message: 'no', type: 'rate_limit_error', param: 'x', code: null },
  { message: 'no', type: 'server_error', param: null, code: 500 },
  { message: 'no', type: 'RESOURCE_EXHAUSTED', param: null, code: 429 },
  { message: 'no', type: 'INVALID_ARGUMENT', param: null, code: 'invalid_api_key' },
])('an error of any dialect is read back as it was: %j', (error) => {
  expect(readError(400, Buffer.from(errorBody(error, 400)))).toEqual(error);
});

test('an error inside of an array is one, too', () => {
  const body = '[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]';
  expect(readError(503, Buffer.from(body))).toEqual({ message: 'busy', type: 'UNAVAILABLE', param: null, code: 503 });
});

test('a dead key is told from a mistake of the caller, although both come with status 400', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }];
  const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details };
  expect(readError(400, Buffer.from(JSON.stringify({ error }))).code).toBe('invalid_api_key');
});

test('foreign shapes keep their message, no shape at all gives the status', () => {
  expect(readError(418, Buffer.from('{"msg":"teapot"}')).message).toBe('teapot');
  expect(readError(418, Buffer.from('<html>')).message).toBe('bad response status code 418');
});
