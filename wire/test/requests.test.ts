import { describe, expect, test } from 'vitest';
import { everyExtension } from '../src/chat/dialect.ts';
import { findMember } from '../src/index.ts';
import { parsed, requests } from './fixtures.ts';
import { decodeRequest, hints, requestOf } from './scenes.ts';

describe.each(requests)('$name', (fixture) => {
  const { client, bytes, body } = fixture;

  test('what was understood can be said again in the same dialect, and nothing is lost', () => {
    const request = requestOf(fixture);
    const context = { model: request.model, defaultMaxTokens: 8192, extensions: everyExtension };
    const { body: again, losses } = client.encodeRequest(request, context);
    const onWire = parsed(Buffer.from(JSON.stringify(again)));
    expect(losses).toEqual([]);
    expect(decodeRequest(client, onWire, { model: request.model, stream: request.stream })).toEqual(request);
  });

  test('fields with which a body could steer other gateways say nothing', () => {
    const steering = { api_base: 'http://elsewhere', base_url: 'x', api_key: 'k', extra_headers: { a: 'b' } };
    expect(decodeRequest(client, { ...body, ...steering })).toEqual(requestOf(fixture));
  });

  test('reading the bytes finds what decoding finds', () => {
    const result = client.peekRequest(bytes, hints);
    if (!result.ok) throw new Error(result.reason);
    const { model, stream, cap, n, wantsUsage } = result.peek;
    const request = requestOf(fixture);
    expect({ model, stream, cap, n, wantsUsage }).toEqual({
      model: request.model,
      stream: request.stream,
      cap: request.maxTokens,
      n: request.choices,
      wantsUsage: request.wantsUsage,
    });
  });

  test('without an edit the bytes stay, with one only what it names changes', () => {
    const result = client.peekRequest(bytes, hints);
    if (!result.ok) throw new Error(result.reason);
    const { peek } = result;
    expect(client.editRequest(bytes, peek, {})).toBe(bytes);
    expect(client.editRequest(bytes, peek, { model: peek.model })).toBe(bytes);
    const edited = parsed(client.editRequest(bytes, peek, { model: 'another', more: new Map([['x_more', '[1]']]) }));
    const named = findMember(peek.scan, 'model') === undefined ? {} : { model: 'another' };
    expect(edited).toEqual({ ...body, ...named, x_more: [1] });
  });
});
