import { describe, expect, test } from 'vitest';
import { foldEvents } from '../chat/fold.ts';
import type { ChatEvent } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import { decodeResponse } from './decode-response.ts';
import { createDecoder } from './decoder.ts';

function decoded(...bodies: JsonObject[]): ChatEvent[] {
  const decoder = createDecoder();
  return bodies.flatMap((body) => decoder.push({ event: '', data: JSON.stringify(body) }));
}

const added = (output_index: number, item: JsonObject) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: JsonObject) => ({ type: 'response.output_item.done', output_index, item });
const completed = { type: 'response.completed', response: { output: [] } };
const delta = (output_index: number, text: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta: text,
});
const call = (id: string) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'f', arguments: '' });

describe('a stream is read', () => {
  test('a piece of the open part is handed out at once, pieces of others when it has ended', () => {
    const start = decoded(added(0, call('a')), added(1, call('b')), delta(1, '{"b'), delta(0, '{"a'));
    expect(start.map(({ kind }) => kind)).toEqual(['part-start', 'delta']);
    const events = decoded(added(0, call('a')), added(1, call('b')), delta(1, '2'), delta(0, '1'), done(0, call('a')), completed);
    expect(foldEvents(events).answers[0]?.parts).toEqual([
      { kind: 'tool-call', id: 'a', name: 'f', arguments: '1' },
      { kind: 'tool-call', id: 'b', name: 'f', arguments: '2' },
    ]);
  });

  test('that a call is answered later is told with its start, as at once', () => {
    const item = { ...call('a'), async: true, arguments: '{}' };
    const { answers } = decodeResponse({ status: 'completed', output: [item] });
    expect(foldEvents(decoded(added(0, item), done(0, item), completed)).answers).toEqual(answers);
  });

  test('more than may wait ends the stream with an error', () => {
    const flood = Array.from({ length: 9 }, () => delta(1, 'x'.repeat(600_000)));
    const events = decoded(added(0, call('a')), added(1, call('b')), ...flood, completed);
    expect(events.at(-1)).toMatchObject({ kind: 'error', error: { type: 'server_error' } });
  });

  test('so do pictures that wait for the end of another part, while those that need not wait may be many', () => {
    const picture = { type: 'image_generation_call', result: 'A'.repeat(2_500_000) };
    const pictures = [1, 2].map((index) => done(index, { ...picture, id: `call_${index}` }));
    const kinds = (...bodies: JsonObject[]) => decoded(...bodies, completed).map(({ kind }) => kind);
    expect(kinds(added(0, call('a')), ...pictures).at(-1)).toBe('error');
    expect(kinds(added(0, call('a')), done(0, call('a')), ...pictures).at(-1)).toBe('end');
  });

  test('more parts than an answer can have end it, too', () => {
    const items = Array.from({ length: 9000 }, (_, index) => done(index, { type: 'web_search_call', id: `ws_${index}` }));
    expect(decoded(...items).at(-1)?.kind).toBe('error');
  });

  test('sections of a thought are parted, with or without deltas', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [{ text: 'a' }, { text: 'b' }], encrypted_content: 'E' };
    const section = (index: number, text: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: index,
      delta: text,
    });
    const expected = [{ kind: 'reasoning', text: 'a\n\nb', signature: 'E', id: 'rs_1', dialect: 'openai-responses' }];
    const streamed = decoded(added(0, { ...item, summary: [] }), section(0, 'a'), section(1, 'b'), done(0, item), completed);
    expect(foldEvents(streamed).answers[0]?.parts).toEqual(expected);
    expect(foldEvents(decoded(done(0, item), completed)).answers[0]?.parts).toEqual(expected);
  });

  test('nothing follows the end or an error', () => {
    for (const last of [completed, { type: 'error', message: 'no' }, { type: 'response.failed', response: {} }]) {
      expect(decoded(last, added(0, call('a')), completed).filter(({ kind }) => kind === 'part-start')).toEqual([]);
    }
  });

  test('the usage of a failed answer is told before the failure', () => {
    const response = { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' }, usage: { input_tokens: 3 } };
    const events = decoded({ type: 'response.failed', response });
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'usage', 'error']);
    expect(events.at(-1)).toMatchObject({ error: { message: 'slow', type: 'rate_limit_error', code: 'rate_limit_exceeded' } });
  });

  test.each([
    [{ type: 'error', message: 'flat', code: 'server_error', param: null }, 'flat', 'server_error'],
    [{ type: 'error', error: { type: 'overloaded', message: 'nested', code: null } }, 'nested', 'overloaded'],
    [{ error: { message: 'bare', type: 't' } }, 'bare', 't'],
  ])('an error is read in each of its shapes', (body, message, type) => {
    expect(decoded(body)).toMatchObject([{ kind: 'error', error: { message, type } }]);
  });
});
