import { expect, test } from 'vitest';
import { familySurfaces } from '../index.ts';

test('an answer without pictures is none: nobody is asked once more, and nothing is charged', () => {
  const read = (family: string, body: object) => familySurfaces.get(family)?.readResponse(Buffer.from(JSON.stringify(body)));
  for (const family of ['images', 'image-edits', 'image-variations'])
    expect(read(family, { created: 1, data: [] })).toMatchObject({ kind: 'error', error: { code: 'no_images' } });
  expect(read('images', { created: 1, data: [{ error: { code: 'Sensitive', message: 'not this one' } }] })).toMatchObject({
    kind: 'error',
    error: { code: 'no_images', message: 'not this one' },
  });
  expect(read('images', { created: 1, data: [{ url: 'https://x.test/a.png' }] })?.kind).toBe('answer');
  expect(read('embeddings', { data: [] })?.kind).toBe('answer');
});

test('a picture of 3840 x 2160 comes through in one event, with its usage', () => {
  const tap = familySurfaces.get('images')?.createTap({ swallowUsage: false, moreRoom: () => true }) ?? expect.fail();
  const said = {
    type: 'image_generation.completed',
    b64_json: 'A'.repeat(15_300_000),
    usage: { input_tokens: 9, output_tokens: 13_342 },
  };
  const event = Buffer.from(`event: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`);
  let passed = 0;
  for (let at = 0; at < event.length; at += 65_536) passed += tap.push(event.subarray(at, at + 65_536))?.length ?? 0;
  const end = tap.end();
  expect([passed, end.complete, end.fault]).toEqual([event.length, true, undefined]);
  expect(end.usage).toMatchObject({ prompt: 9, completion: 13_342 });
});

const picture = { url: 'https://x.test/a.png' };
const inline = { b64_json: 'AA==' };

test.each([
  ['all of them', [picture, inline], 2],
  ['one that failed beside them', [picture, { error: { code: 'Sensitive', message: 'no' } }, inline], 2],
  ['empty places', [picture, null, {}, { url: '' }, { url: null, b64_json: '' }], 1],
  ['one with both spellings', [{ ...picture, ...inline }], 1],
  ['a form that nobody knows', [{ picture: 'AA==' }, { picture: 'AA==' }], undefined],
  ['texts', ['https://x.test/a.png'], undefined],
])('a whole answer tells how many pictures it holds: %s', (_, data, pictures) => {
  for (const family of ['images', 'image-edits', 'image-variations']) {
    const reading = familySurfaces.get(family)?.readResponse(Buffer.from(JSON.stringify({ created: 1, data })));
    expect(reading).toMatchObject({ kind: 'answer' });
    expect(reading?.kind === 'answer' ? reading.pictures : 'none').toBe(pictures);
  }
});

test('what is no answer in pictures tells of none', () => {
  expect(familySurfaces.get('embeddings')?.readResponse(Buffer.from('{"data":[{"url":"x"}]}'))).not.toHaveProperty('pictures');
});

const failed = { type: 'image_generation.partial_failed', image_index: 1, error: { code: 'Sensitive', message: 'no' } };
const made = { type: 'image_generation.partial_succeeded', ...picture };
const sketch = { type: 'image_generation.partial_image', partial_image_index: 0, ...inline };
const setDone = (generated_images?: number) => ({ type: 'image_generation.completed', usage: { generated_images } });

test.each([
  ['sketches are none', [sketch, sketch, { ...sketch, type: 'image_generation.completed' }], 1],
  [
    'edits',
    [
      { ...inline, type: 'image_edit.partial_image' },
      { ...inline, type: 'image_edit.completed' },
    ],
    1,
  ],
  ['several, each completed', [1, 2, 3].map(() => ({ ...inline, type: 'image_generation.completed' })), 3],
  ['a set, one by one', [made, made, setDone(2)], 2],
  ['a set of which one failed', [made, failed, made, setDone(2)], 2],
  ['a set of which all failed', [failed, failed, setDone(0)], 0],
  ['a completed one of an unknown form', [sketch, { type: 'image_generation.completed', picture: 'AA==' }], undefined],
  ['other events', [{ object: 'image.chunk', b64_json: 'AA==' }], undefined],
])('a stream tells how many pictures it holds: %s', (_, events, pictures) => {
  const tap = familySurfaces.get('images')?.createTap({ swallowUsage: false }) ?? expect.fail();
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  expect(tap.push(Buffer.from(`${text}data: [DONE]\n\n`))?.toString()).toContain(text);
  const end = tap.end();
  expect([end.pictures, end.complete, end.error]).toEqual([pictures, true, undefined]);
});

test('a stream that is cut tells of the pictures that it brought', () => {
  const tap = familySurfaces.get('images')?.createTap({ swallowUsage: false }) ?? expect.fail();
  tap.push(Buffer.from(`data: ${JSON.stringify(made)}\n\ndata: ${JSON.stringify(sketch)}\n\ndata: {"type":"image_gen`));
  expect(tap.end()).toMatchObject({ pictures: 1, complete: false });
});

test.each(['{"code":"Throttled","message":"too many"}', '{"type":"server_error","message":"too many"}'])(
  'an event that is an error by its name alone is one: %s',
  (data) => {
    const tap = familySurfaces.get('images')?.createTap({ swallowUsage: false }) ?? expect.fail();
    expect(tap.push(Buffer.from(`event: error\ndata: ${data}\n\n`))).toBeUndefined();
    expect(tap.end()).toMatchObject({ complete: false, error: { message: 'too many' } });
  },
);

test('a picture may be named beside what it holds', () => {
  const tap = familySurfaces.get('images')?.createTap({ swallowUsage: false }) ?? expect.fail();
  tap.push(Buffer.from(`event: image_generation.completed\ndata: ${JSON.stringify(inline)}\n\n`));
  expect(tap.end()).toMatchObject({ pictures: 1, complete: true });
});

test('a set says once, and in one spelling, how large it may be', () => {
  const peek = (options: string) =>
    familySurfaces
      .get('images')
      ?.peekRequest(Buffer.from(`{"model":"m","prompt":"x","sequential_image_generation_options":${options}}`));
  expect(peek('{"max_images":4}')).toMatchObject({ ok: true });
  expect(peek('"4"')).toMatchObject({ ok: true });
  for (const odd of ['{"max_images":15,"max_images":1}', '{"max_images":1,"Max_Images":15}', '{"Max_Images":15}'])
    expect(peek(odd)).toMatchObject({ ok: false });
});

test('a size is judged by the model that is meant, however long its name is', () => {
  const long = `arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/${'p'.repeat(12)}`;
  const isTaken = (body: object) =>
    familySurfaces.get('images')?.peekRequest(Buffer.from(JSON.stringify({ prompt: 'x', ...body }))).ok;
  expect(isTaken({ model: long, size: '1536x1024' })).toBe(true);
  expect(isTaken({ model: 'dall-e-3', size: '1536x1024' })).toBe(false);
  for (const unnamed of [{}, { model: '' }, { model: null }]) {
    expect(isTaken({ ...unnamed, size: '512x512' })).toBe(true);
    expect(isTaken({ ...unnamed, size: '1792x1024' })).toBe(false);
  }
});

test.each([
  ['images', { prompt: '' }, 'invalid_image_request', 'prompt is required'],
  ['images', { prompt: 'x', size: '1×1' }, 'invalid_image_request', /^size an unexpected error/],
  ['image-edits', { prompt: 'x', n: 0 }, 'invalid_image_request', 'n is invalid'],
  ['speech', { model: 'tts-1' }, 'invalid_audio_request', 'field input is required'],
  // Its characters are what is paid for.
  ['speech', { model: 'tts-1', input: ['a long text'] }, 'invalid_audio_request', 'field input must be a text'],
  ['speech', { model: 'tts-1', input: { text: 'a long text' } }, 'invalid_audio_request', 'field input must be a text'],
  ['rerank', { model: 'r', documents: ['d'] }, 'invalid_query', 'query is required'],
  ['rerank', { model: 'r', query: null, documents: ['d'] }, 'invalid_query', 'query is required'],
  ['rerank', { model: 'r', query: 'q', documents: [] }, 'invalid_documents', 'documents is required'],
  ['embeddings', { model: 'e', input: [] }, 'invalid_text_request', 'field input is required'],
  ['moderations', {}, 'invalid_text_request', 'field input is required'],
])('%s without what it needs is refused by a code of its own: %j', (family, body, code, reason) => {
  const peeked = familySurfaces.get(family)?.peekRequest(Buffer.from(JSON.stringify(body)));
  expect(peeked).toEqual({ ok: false, code, reason: typeof reason === 'string' ? reason : expect.stringMatching(reason) });
});

test.each([
  ['a page', '\n<!DOCTYPE html><html><body>sign in</body></html>', 'invalid', 'invalid'],
  ['a page without its type', '<html lang="en">', 'invalid', 'invalid'],
  ['a refusal of a shape of its own', '{"success":false,"message":"no"}', 'error', 'error'],
  ['a refusal in words', 'rate limited', 'invalid', 'answer'],
  ['subtitles', '1\n00:00:00,000 --> 00:00:01,000\n<i>hello</i>', 'invalid', 'answer'],
  ['words', '{"text":"hello","message":"ok"}', 'answer', 'answer'],
  ['sound', 'ID3\u0004\u0000', 'answer', 'answer'],
  ['nothing', '', 'invalid', 'invalid'],
])('what is no sound and no transcript is no answer: %s', (_, body, spoken, heard) => {
  const kind = (family: string) => familySurfaces.get(family)?.readResponse(Buffer.from(body)).kind;
  expect(['speech', 'transcriptions', 'translations'].map(kind)).toEqual([spoken, heard, heard]);
});
