import { describe, expect, test } from 'vitest';
import { createCrossingTap } from './chat/event-tap.ts';
import { clientDialects } from './dialects.ts';
import { familySurfaces } from './families/index.ts';
import { hiddenJson } from './hidden.ts';
import { encodeFrame } from './sse.ts';
import type { Tap, TapOptions } from './tap.ts';

const secret = 'key-0123456789';
const hide = (text: string) => text.replaceAll(secret, '***');
const options: TapOptions = { swallowUsage: false, hide };
const frame = (data: object, event = '') => encodeFrame(JSON.stringify(data), event);

/** Of each dialect a stream that has begun, and an error as its vendor tells it. */
const streams: Readonly<Record<string, readonly [begun: Buffer, error: (words: string) => Buffer]>> = {
  'openai-chat': [
    frame({ choices: [{ index: 0, delta: { content: 'Hi' } }] }),
    (words) => frame({ error: { message: words, code: 'x', metadata: { raw: [words] } } }),
  ],
  'openai-completions': [frame({ choices: [{ index: 0, text: 'Hi' }] }), (words) => frame({ error: { message: words } })],
  'anthropic-messages': [
    Buffer.concat([
      frame({ type: 'message_start', message: { id: 'm', model: 'm' } }),
      frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ]),
    (words) => frame({ type: 'error', error: { type: 'api_error', message: words } }, 'error'),
  ],
  'gemini-generate': [
    frame({ candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }),
    (words) => frame({ error: { code: 500, message: words, status: 'INTERNAL', details: [{ reason: words }] } }),
  ],
  'openai-responses': [
    Buffer.concat([
      frame({ type: 'response.created', response: { id: 'r', output: [] } }),
      frame({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', content: [] } }),
      frame({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'Hi' }),
    ]),
    (words) =>
      frame({ type: 'response.failed', response: { status: 'failed', error: { code: 'x', message: words }, output: [] } }),
  ],
};

/** All that a caller gets of it. */
function told(tap: Tap, chunks: readonly Buffer[]): string {
  const out = chunks.flatMap((chunk) => tap.push(chunk) ?? []);
  const last = tap.end().closing({ prompt: 1, completion: 1 });
  return Buffer.concat(last === undefined ? out : [...out, last]).toString();
}

describe.each(clientDialects.map((dialect) => [dialect.name, dialect] as const))('%s', (name, dialect) => {
  const [begun, error] = streams[name] ?? [];
  if (begun === undefined || error === undefined) throw new Error(`no error event of ${name} here`);
  const words = `Incorrect API key provided: ${secret}`;

  test('an error in the middle passes without what is secret in it', () => {
    const passed = told(dialect.createTap(options), [begun, error(words)]);
    expect(passed).toBe(begun.toString() + error(hide(words)).toString());
  });

  test('the same when it is the last thing that comes, without its blank line', () => {
    const passed = told(dialect.createTap(options), [begun, error(words).subarray(0, -2)]);
    expect(passed).toBe(begun.toString() + error(hide(words)).toString());
  });

  test('one that holds nothing secret passes byte for byte', () => {
    const odd = Buffer.from(error('no').toString().replace('data: {', 'data:  {  '));
    expect(told(dialect.createTap(options), [begun, odd])).toBe(begun.toString() + odd.toString());
  });

  test('one that crosses says no more', () => {
    for (const to of clientDialects) {
      const context = { id: 'i', model: 'm', created: 1, wantsUsage: false, promptEstimate: 1 };
      const tap = createCrossingTap(dialect.createDecoder(), to.createEncoder(context), options);
      const crossed = told(tap, [begun, error(words)]);
      expect(crossed, to.name).toContain('Incorrect API key provided: ***');
      expect(crossed, to.name).not.toContain(secret);
    }
  });
});

test('what the model said of a failed response stays as it is', () => {
  const response = { output: [{ text: secret }], error: { message: secret }, instructions: secret };
  const shown = JSON.parse(hiddenJson(JSON.stringify({ type: 'response.failed', response }), hide) ?? '');
  expect(shown).toEqual({ type: 'response.failed', response: { ...response, error: { message: '***' } } });
});

test('an event of pictures that fails is no other', () => {
  const tap = familySurfaces.get('images')?.createTap(options);
  const begun = frame({ type: 'image_generation.partial_image', b64_json: 'AA' });
  const failed = (message: string) => frame({ type: 'error', error: { message } });
  expect(tap && told(tap, [begun, failed(secret)])).toBe(begun.toString() + failed('***').toString());
});

test.each(['', '{', '[', 'null', '{"response":[]}', `{"a":`.repeat(3000)])('no text makes it throw: %#', (text) => {
  expect(hiddenJson(text, hide)).toBeUndefined();
});
