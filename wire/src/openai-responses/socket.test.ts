import { describe, expect, test } from 'vitest';
import { encodeFrame } from '../sse.ts';
import { inLane, joined, type ResponseCreate, readSocketAsk, socketError, socketEvent } from './socket.ts';

const create = (text: string): ResponseCreate => {
  const ask = readSocketAsk(Buffer.from(text));
  if (ask.kind !== 'create') throw new Error(JSON.stringify(ask));
  return ask;
};

describe('a message', () => {
  test('is a call with every byte of its own, but for what belongs to the socket', () => {
    const ask = create(
      '{"type":"response.create","stream_id":"a","model":"m","seed":12345678901234567890,"input":"hi","stream":false}',
    );
    expect(ask).toMatchObject({ lane: 'a', model: 'm', isKept: true, generates: true, previousId: undefined });
    expect(ask.call().toString()).toBe('{"model":"m","seed":12345678901234567890,"input":"hi","stream":true}');
  });

  test('says again what was said before, instead of what it continues', () => {
    const said = (input: string) => {
      const ask = create(`{"type":"response.create","previous_response_id":"r1","input":${input}}`);
      expect(ask.previousId).toBe('r1');
      return JSON.parse(ask.call('{"n":1},{"n":2}').toString());
    };
    const user = { role: 'user', content: 'a "b"' };
    expect(said('"a \\"b\\""')).toEqual({ input: [{ n: 1 }, { n: 2 }, user], stream: true });
    expect(said('[ {"n":3} ]')).toEqual({ input: [{ n: 1 }, { n: 2 }, { n: 3 }], stream: true });
    expect(said('null')).toEqual({ input: [{ n: 1 }, { n: 2 }], stream: true });
    expect(JSON.parse(create('{"type":"response.create","input":[]}').call('').toString())).toEqual({ input: [], stream: true });
  });

  test.each([
    '[]',
    '{',
    '{"type":"x"}',
    '{"type":"response.create","stream_id":1}',
    `{"type":"response.create","stream_id":"${'x'.repeat(300)}"}`,
  ])('that is none is told: %.40s', (text) => expect(readSocketAsk(Buffer.from(text)).kind).toBe('invalid'));

  test('tells whether all that was said before stands in it', () => {
    expect(create('{"type":"response.create","conversation":null}').isInConversation).toBe(false);
    expect(create('{"type":"response.create","conversation":{"id":"c"}}').isInConversation).toBe(true);
  });

  test('that only informs is nothing', () => {
    expect(readSocketAsk(Buffer.from('{"type":"response.processed","response_id":"r"}'))).toEqual({ kind: 'ignored' });
  });
});

test('words for an answer under way are given back, in the words that clients know for it', () => {
  const [input, id] = [[{ role: 'user', content: 'rather in French' }], 'resp_1'];
  const message = { type: 'response.steer', previous_response_id: id, input };
  const ask = readSocketAsk(Buffer.from(JSON.stringify(message)));
  expect(JSON.parse(ask.kind === 'steer' ? ask.refusal : '')).toMatchObject({
    type: 'response.steer.failed',
    error: { type: 'invalid_request_error', code: 'steering_not_supported' },
    steer: { previous_response_id: id, input },
  });
});

describe('an event of an answer', () => {
  const read = (data: object, event = '') => socketEvent(encodeFrame(JSON.stringify(data), event));

  test('passes as it is; whole items and the end are known', () => {
    const delta = { type: 'response.output_text.delta', delta: 'a' };
    expect(read(delta, delta.type)).toEqual({ text: JSON.stringify(delta) });
    const done = (item: object) => read({ type: 'response.output_item.done', item }).item;
    expect(done({ type: 'message', id: 'm' })).toBe('{"type":"message","id":"m"}');
    expect(done({ type: 'reasoning', id: 'r', summary: [] })).toBe('');
    expect(done({ type: 'reasoning', encrypted_content: 'x' })).toContain('encrypted_content');
    expect(read({ type: 'response.incomplete', response: { id: 'r1' } }).end).toEqual({ responseId: 'r1' });
    expect(read({ type: 'response.failed', response: { id: 'r1' } }).end).toEqual({});
  });

  test('and what is none is not sent', () => {
    for (const frame of [': waits\n\n', 'data: [DONE]\n\n', '\n'])
      expect(socketEvent(Buffer.from(frame))).toEqual({ text: undefined });
  });

  test('that is an error is told with a status, in either shape', () => {
    const flat = { type: 'error', code: 'server_error', message: 'm', param: null, sequence_number: 3 };
    const error = { code: 'server_error', message: 'm', param: null };
    expect(JSON.parse(read(flat, 'error').text ?? '')).toEqual({ type: 'error', status: 502, error });
    const told = JSON.parse(socketError(429, JSON.stringify({ error }), { 'retry-after': '7' }));
    expect(told).toEqual({
      ...{ type: 'error', status: 429, headers: { 'retry-after': '7' } },
      error: { ...error, headers: { 'retry-after': '7' } },
    });
    expect(JSON.parse(socketError(500, 'oops'))).toMatchObject({ error: { message: 'oops' } });
  });

  test('bears its lane', () => {
    expect(JSON.parse(inLane('{"type":"x"}', 'a"b'))).toEqual({ stream_id: 'a"b', type: 'x' });
    expect(inLane('{"type":"x"}', undefined)).toBe('{"type":"x"}');
  });

  test('lists of items are one', () => expect(joined(['', '{"a":1}', '', '{"b":2}'])).toBe('{"a":1},{"b":2}'));
});
