import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestEdits, RequestPeek } from '../request.ts';
import { editRequest, peekRequest } from './request.ts';

const messages = [{ role: 'user', content: 'hi' }];

function peek(body: string | object): RequestPeek {
  const result = peekRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  if (!result.ok) throw new Error(result.reason);
  return result.peek;
}

function refusal(body: string | object): string {
  const result = peekRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  return result.ok ? 'ok' : `${result.code}: ${result.reason}`;
}

function edit(body: string | object, edits: RequestEdits): string {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return editRequest(bytes, peek(bytes.toString()), edits).toString();
}

describe('peekRequest', () => {
  test('reads what the relay needs and ignores the rest', () => {
    const body = {
      model: 'm/1',
      messages,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 7,
      n: 2,
      later: [{}],
    };
    expect(peek(body)).toMatchObject({ model: 'm/1', stream: true, wantsUsage: true, cap: 7, n: 2 });
  });

  test('absent, null and zero mean "not given"', () => {
    const nothing = {
      model: 'm',
      messages,
      stream: null,
      stream_options: null,
      max_tokens: null,
      max_completion_tokens: 0,
      n: null,
    };
    expect(peek(nothing)).toMatchObject({ stream: false, wantsUsage: false, cap: undefined, n: 1 });
    expect(peek({ model: 'm', messages })).toMatchObject({ stream: false, wantsUsage: false, cap: undefined, n: 1 });
  });

  test('of two caps the larger one counts, because the upstream may read either', () => {
    expect(peek({ model: 'm', messages, max_tokens: 5, max_completion_tokens: 9 }).cap).toBe(9);
    expect(peek({ model: 'm', messages, max_tokens: 9, max_completion_tokens: 5 }).cap).toBe(9);
  });

  test.each([
    [{ messages }, 'model is required'],
    [{ model: '', messages }, 'model is required'],
    [{ model: null, messages }, 'model is required'],
    [{ model: 5, messages }, 'model is required'],
    [{ model: 'x'.repeat(5000), messages }, 'model is required'],
    [{ model: 'x'.repeat(256), messages }, 'model is invalid'],
    [{ model: 'a b', messages }, 'model is invalid'],
    [{ model: 'a\u200bb', messages }, 'model is invalid'],
    [{ model: 'a\ud800', messages }, 'model is invalid'],
    [{ model: 'm' }, 'field messages is required'],
    [{ model: 'm', messages: [] }, 'field messages is required'],
    [`{"model":"m","messages":[ \n ]}`, 'field messages is required'],
    [{ model: 'm', messages: 'hi' }, 'field messages is required'],
    [{ model: 'm', messages, max_tokens: 1_073_741_824 }, 'max_tokens is invalid'],
    [{ model: 'm', messages, max_tokens: -1 }, 'max_tokens is invalid'],
    [{ model: 'm', messages, max_tokens: 1.5 }, 'max_tokens is invalid'],
    [{ model: 'm', messages, max_tokens: '5' }, 'max_tokens is invalid'],
    [`{"model":"m","messages":[1],"max_tokens":1e400}`, 'max_tokens is invalid'],
    [{ model: 'm', messages, max_completion_tokens: -1 }, 'max_completion_tokens is invalid'],
    [{ model: 'm', messages, n: 0 }, 'n is invalid'],
    [{ model: 'm', messages, n: 129 }, 'n is invalid'],
    [{ model: 'm', messages, n: 1.5 }, 'n is invalid'],
    [{ model: 'm', messages, stream: 'true' }, 'stream is invalid'],
    [{ model: 'm', messages, stream: 1 }, 'stream is invalid'],
    [{ model: 'm', messages, stream_options: true }, 'stream_options is invalid'],
    [{ model: 'm', messages, stream_options: { include_usage: 'yes' } }, 'stream_options is invalid'],
  ])('refuses %j: %s', (body, reason) => {
    expect(refusal(body)).toBe(`invalid_text_request: ${reason}`);
  });

  test.each(['', '[]', '{', '{"model":"a","model":"b"}', '{"model":"m","messages":[1'])(
    'an unreadable body is another error: %j',
    (body) => {
      expect(refusal(body)).toMatch(/^invalid_request: /);
    },
  );

  test.each(['x'.repeat(255), '模型-1', 'a/b:c@d+e?f=g', '__proto__'])('any other name is a model name: %s', (model) => {
    expect(peek({ model, messages }).model).toBe(model);
  });

  test('the largest permitted cap passes', () => {
    expect(peek({ model: 'm', messages, max_tokens: 1_073_741_823 }).cap).toBe(1_073_741_823);
  });

  test('never throws on arbitrary JSON values in its fields', () => {
    const field = fc.constantFrom('model', 'messages', 'stream', 'stream_options', 'max_tokens', 'n');
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue()), (fields) => {
        expect(refusal({ model: 'm', messages, ...fields })).toMatch(/^(ok|invalid_)/);
      }),
    );
  });
});

describe('editRequest', () => {
  test('without edits the caller’s own bytes go out', () => {
    const bytes = Buffer.from(JSON.stringify({ model: 'm', messages, organization: 'o', metadata: { a: 1 } }));
    expect(editRequest(bytes, peek(bytes.toString()), { model: 'm' })).toBe(bytes);
  });

  test('the model is replaced, everything else stays', () => {
    expect(edit('{ "messages":[{"role":"user"}], "model": "a" }', { model: 'b"c' })).toBe(
      '{ "messages":[{"role":"user"}], "model": "b\\"c" }',
    );
  });

  test.each([
    ['{"model":"m","messages":[1]}', '{"model":"m","messages":[1],"stream_options":{"include_usage":true}}'],
    [
      '{"stream_options":null,"model":"m","messages":[1]}',
      '{"stream_options":{"include_usage":true},"model":"m","messages":[1]}',
    ],
    [
      '{"model":"m","messages":[1],"stream_options":{ "include_usage":false, "x":1.0 }}',
      '{"model":"m","messages":[1],"stream_options":{ "include_usage":true, "x":1.0 }}',
    ],
  ])('usage is asked for without touching other options: %s', (body, expected) => {
    expect(edit(body, { includeUsage: true })).toBe(expected);
  });

  test('a caller who asked for usage keeps its bytes', () => {
    const body = '{"model":"m","messages":[1],"stream_options":{"include_usage":true}}';
    expect(edit(body, { includeUsage: true })).toBe(body);
  });

  test('a cap is only ever lowered, in each field that is given', () => {
    expect(edit('{"model":"m","messages":[1],"max_tokens":100}', { cap: 40 })).toBe(
      '{"model":"m","messages":[1],"max_tokens":40}',
    );
    expect(edit('{"model":"m","messages":[1],"max_tokens":10}', { cap: 40 })).toBe(
      '{"model":"m","messages":[1],"max_tokens":10}',
    );
    expect(JSON.parse(edit({ model: 'm', messages, max_tokens: 10, max_completion_tokens: 90 }, { cap: 40 }))).toMatchObject({
      max_tokens: 10,
      max_completion_tokens: 40,
    });
  });

  test('a request without a cap gets one in the field that its upstream knows', () => {
    expect(JSON.parse(edit({ model: 'm', messages }, { cap: 40 }))).toMatchObject({ max_tokens: 40 });
    const edited = JSON.parse(edit({ model: 'm', messages }, { cap: 40, capField: 'max_completion_tokens' }));
    expect(edited).toEqual({ model: 'm', messages, max_completion_tokens: 40 });
    expect(JSON.parse(edit({ model: 'm', messages, max_tokens: 0 }, { cap: 40 }))).toMatchObject({ max_tokens: 40 });
  });

  test('fields that steer other gateways never reach an upstream, fields of the caller do', () => {
    const steering = { api_base: 'x', base_url: 'x', api_key: 'x', extra_headers: {} };
    const body = { ...steering, model: 'm', messages, organization: 'o', metadata: {}, user: 'u' };
    expect(JSON.parse(edit(body, {}))).toEqual({ model: 'm', messages, organization: 'o', metadata: {}, user: 'u' });
  });

  test('edits of the channel win', () => {
    const more = new Map([
      ['temperature', '0.5'],
      ['top_p', null],
      ['model', '"z"'],
    ]);
    expect(JSON.parse(edit({ model: 'm', messages, top_p: 1 }, { model: 'b', more }))).toEqual({
      model: 'z',
      messages,
      temperature: 0.5,
    });
  });
});
