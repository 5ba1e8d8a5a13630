import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../sse.ts';
import { errorBody, errorFrame, errorType, readError } from './error.ts';
import { readFailure } from './response.ts';

const error = { message: 'no', type: 'upstream_error', param: '503', code: 'bad_response_status_code' };

describe('errorBody', () => {
  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [529, 'overloaded_error'],
  ])('an error with a type of others is named after its status %i', (status, type) => {
    expect(JSON.parse(errorBody(error, status))).toEqual({ type: 'error', error: { type, message: 'no' } });
  });

  test('types of this dialect and of the gateway itself stay', () => {
    expect(errorType('overloaded_error', 503)).toBe('overloaded_error');
    expect(errorType('new_api_error', 400)).toBe('new_api_error');
  });

  test.each([
    ['thread_not_found', null, 'thread_not_found'],
    ['state_not_kept', 'thread', 'thread_unsupported_request'],
  ])('the code %s stands in the details, where the official client looks how to go on', (code, param, error_code) => {
    const own = { message: 'no', type: 'invalid_request_error', param, code };
    const body = errorBody(own, 400);
    expect(JSON.parse(body).error).toEqual({ type: 'invalid_request_error', message: 'no', details: { error_code } });
    expect(readError(400, Buffer.from(body))).toEqual({ ...own, param: null, code: error_code });
  });

  test('codes of others do not, nor those of what else is not kept', () => {
    expect(JSON.parse(errorBody({ ...error, code: 'context_length_exceeded' }, 400)).error).not.toHaveProperty('details');
    expect(JSON.parse(errorBody({ ...error, code: 'state_not_kept' }, 400)).error).not.toHaveProperty('details');
  });

  test('a request id stands where clients look for it, too', () => {
    const message = 'quota exceeded (request id: 20261120abc)';
    expect(JSON.parse(errorBody({ ...error, message, type: 'new_api_error' }, 403))).toEqual({
      type: 'error',
      error: { type: 'new_api_error', message },
      request_id: '20261120abc',
    });
  });

  test('an error event has the name that clients listen for', () => {
    expect(decodeFrame(errorFrame(error, 529))).toEqual({ event: 'error', data: errorBody(error, 529) });
  });
});

describe('readError', () => {
  const read = (body: string, status = 400) => readError(status, Buffer.from(body));

  test('understands its own errors, also one without a message', () => {
    const own = { type: 'invalid_request_error', param: null, code: null };
    expect(read('{"type":"error","error":{"type":"invalid_request_error","message":"m"}}')).toEqual({ ...own, message: 'm' });
    expect(read('{"type":"error","error":{"type":"invalid_request_error","message":""}}')).toEqual({
      ...own,
      message: 'invalid_request_error',
    });
  });

  test('understands those of others', () => {
    expect(read('{"error":{"message":"m","type":"t","param":"p","code":"c"}}')).toEqual({
      message: 'm',
      type: 't',
      param: 'p',
      code: 'c',
    });
    expect(read('{"message":"m"}', 503)).toEqual({ ...error, message: 'm' });
    expect(read('<html>', 503).message).toBe('bad response status code 503');
  });
});

test.each([
  [{ type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 'm'],
  [{ error: 'broke' }, 'broke'],
  [{ choices: [] }, 'the upstream answered with an error'],
])('a 200 that is no answer is an error: %j', (body, message) => {
  expect(readFailure(body)).toMatchObject({ message });
});

test('an empty answer is an answer', () => {
  expect(readFailure({ type: 'message', content: [] })).toBeUndefined();
});
