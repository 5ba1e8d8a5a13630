import { describe, expect, test } from 'vitest';
import { errorStatus } from '../error.ts';
import { errorFrame as responsesFrame } from '../openai-responses/error.ts';
import { decodeFrame } from '../sse.ts';
import { errorBody, errorFrame, readError } from './error.ts';
import { readResponse } from './response.ts';

const foreign = (message: string, status = 500) => ({
  message,
  type: 'upstream_error',
  param: String(status),
  code: 'bad_response_status_code',
});

describe('readError', () => {
  test('passes the dialect’s own error on as it is', () => {
    const error = { message: 'Incorrect API key', type: 'invalid_request_error', param: null, code: 'invalid_api_key' };
    expect(readError(401, Buffer.from(errorBody(error)))).toEqual(error);
    expect(readError(429, Buffer.from('{"error":{"message":"m","code":1302}}'))).toEqual({
      message: 'm',
      type: 'upstream_error',
      param: null,
      code: 1302,
    });
    const listed = '[{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}]';
    expect(readError(404, Buffer.from(listed))).toMatchObject({ message: 'no such model', code: 404 });
  });

  test('a code that is a number is told as a text in streams, as clients with types read it', () => {
    const error = { message: 'no', type: 'UNAVAILABLE', param: null, code: 503 };
    const told = { ...error, code: '503' };
    const dataOf = (frame: Buffer) => JSON.parse(decodeFrame(frame).data ?? '');
    expect(dataOf(errorFrame(error))).toEqual({ error: told });
    expect(dataOf(responsesFrame(error))).toMatchObject({ code: '503', error: told });
  });

  test.each([
    ['{"message":"a","msg":"b"}', 'a'],
    ['{"message":"","msg":"b"}', 'b'],
    ['{"err":"c"}', 'c'],
    ['{"error_msg":"d"}', 'd'],
    ['{"header":{"message":"e"}}', 'e'],
    ['{"response":{"error":{"message":"f"}}}', 'f'],
    ['{"error":"g"}', 'g'],
    ['{"detail":"h"}', 'h'],
    ['{"detail":[{"type":"missing","loc":["body","messages",0],"msg":"Field required"}]}', 'body.messages.0: Field required'],
    ['{"detail":[{"msg":"i"}]}', 'i'],
    ['{"success":false,"errors":[{"code":7,"message":"j"}]}', 'j'],
    ['[{"message":"k"}]', 'k'],
  ])('finds the message of other JSON: %s', (body, message) => {
    expect(readError(500, Buffer.from(body))).toEqual(foreign(message));
  });

  test.each([
    '',
    '<html>login</html>',
    'null',
    '[]',
    '{}',
    '{"error":{}}',
    '{"message":5}',
    '{"detail":[1,{}],"errors":[]}',
    `{"message":"${'x'.repeat(300_000)}"}`,
  ])('names the status when there is no message', (body) => {
    expect(readError(503, Buffer.from(body))).toEqual(foreign('bad response status code 503', 503));
  });

  test('a long message is shortened', () => {
    expect(readError(500, Buffer.from(JSON.stringify({ message: 'x'.repeat(10_000) }))).message).toHaveLength(4096);
  });
});

test.each([
  [{ code: 429 }, 429],
  [{ code: '503' }, 503],
  [{ code: 'rate_limit_exceeded' }, 429],
  [{ type: 'insufficient_quota' }, 429],
  [{ type: 'overloaded_error' }, 503],
  [{ code: 'invalid_api_key' }, 401],
  [{ type: 'permission_error' }, 403],
  [{ code: 'model_not_found' }, 404],
  [{ type: 'invalid_request_error' }, 400],
  [{ type: 'image_generation_user_error', code: 'moderation_blocked' }, 400],
  [{ code: 'content_policy_violation' }, 400],
  [{ code: 1302 }, 502],
  [{}, 502],
])('an error in a 200 gets the status that it implies: %j', (fields, status) => {
  expect(errorStatus({ message: 'm', type: '', param: null, code: null, ...fields })).toBe(status);
});

describe('readResponse', () => {
  const read = (text: string) => readResponse(Buffer.from(text));

  test.each([
    ['{"error":{"message":"no","code":429}}', 'no'],
    ['{"error":"rate limited"}', 'rate limited'],
    ['{"success":false,"message":"broke"}', 'broke'],
    ['{"choices":null}', 'the upstream answered with an error'],
    ['{}', 'the upstream answered with an error'],
    ['{"error":{"message":"late"},"choices":[]}', 'late'],
  ])('a 200 that failed is an error: %s', (text, message) => {
    expect(read(text)).toMatchObject({ kind: 'error', error: { message } });
  });

  test.each(['null', '[]', '<html></html>', 'rate limited', '{"choices":[', '{"choices":[]}}'])(
    'a body that is no object is invalid: %s',
    (text) => {
      expect(read(text)).toEqual({ kind: 'invalid', reason: 'not-json' });
    },
  );

  test.each(['', ' \n'])('an empty body is told apart: %j', (text) => {
    expect(read(text)).toEqual({ kind: 'invalid', reason: 'empty' });
  });

  test('"error": null beside choices is an answer', () => {
    expect(read('{"error":null,"choices":[{"message":{"content":"a"}}]}')).toMatchObject({ kind: 'answer', usage: undefined });
  });

  test('an answer is an answer also when a key comes twice or it is nested deeply', () => {
    const usage = '"usage":{"prompt_tokens":3,"completion_tokens":2}';
    expect(read(`{"x":1,"X":2,"choices":[],${usage}}`)).toMatchObject({ kind: 'answer', usage: { prompt: 3 } });
    expect(read(`{"x":${'['.repeat(600)}${']'.repeat(600)},"choices":[],${usage}}`)).toMatchObject({ kind: 'answer' });
    expect(read('{"x":1,"x":2,"error":{"message":"no"}}')).toMatchObject({ kind: 'error' });
  });

  test('texts of all kinds are counted', () => {
    const message = {
      content: [{ type: 'text', text: 'a' }],
      reasoning_content: 'b',
      tool_calls: [{ function: { name: 'c', arguments: 'd' } }],
    };
    const reading = read(JSON.stringify({ choices: [{ message }, { message: { content: null, refusal: 'e' } }] }));
    expect(reading.kind === 'answer' && reading.text()).toBe('bacde');
  });
});
