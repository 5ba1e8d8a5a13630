import { expect, test } from 'vitest';
import { familySurfaces } from '../index.ts';

test('an answer without pictures is none: nobody is asked once more, and nothing is charged', () => {
  const read = (family: string, body: object) => familySurfaces.get(family)?.readResponse(Buffer.from(JSON.stringify(body)));
  for (const family of ['images', 'image-edits', 'image-variations'])
    expect(read(family, { created: 1, data: [] })).toMatchObject({ kind: 'error', error: { code: 'no_images' } });
  expect(read('images', { created: 1, data: [{ url: 'https://x.test/a.png' }] })).toMatchObject({ kind: 'answer', pictures: 1 });
  const refused = { error: { code: 'filtered', message: 'no' } };
  expect(read('images', { data: [refused] })).toMatchObject({ kind: 'error', error: { code: 'no_images' } });
  expect(read('image-edits', { data: [refused, { b64_json: 'AA==' }, { b64_json: 'AA==' }] })).toMatchObject({ pictures: 2 });
  expect(read('embeddings', { data: [{ embedding: [1] }] })).not.toHaveProperty('pictures');
  expect(read('embeddings', { data: [] })?.kind).toBe('answer');
});

test('of a stream the whole pictures count, not those on their way; other streams have none', () => {
  const picturesOf = (...types: string[]) => {
    const tap = familySurfaces.get('images')?.createTap({ swallowUsage: false }) ?? expect.fail();
    for (const type of types) tap.push(Buffer.from(`data: ${JSON.stringify({ type, b64_json: 'AA==' })}\n\n`));
    return tap.end().pictures;
  };
  const [partial, completed] = ['image_generation.partial_image', 'image_generation.completed'];
  expect(picturesOf(partial, completed, partial, 'image_edit.completed')).toBe(2);
  expect(picturesOf(partial)).toBe(0);
  expect(picturesOf('speech.audio.delta', 'speech.audio.done')).toBeUndefined();
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
