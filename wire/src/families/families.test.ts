import { expect, test } from 'vitest';
import { familySurfaces } from '../index.ts';

test('an answer without pictures is none: nobody is asked once more, and nothing is charged', () => {
  const read = (family: string, body: object) => familySurfaces.get(family)?.readResponse(Buffer.from(JSON.stringify(body)));
  for (const family of ['images', 'image-edits', 'image-variations'])
    expect(read(family, { created: 1, data: [] })).toMatchObject({ kind: 'error', error: { code: 'no_images' } });
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
