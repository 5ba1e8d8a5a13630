import { expect, test } from 'vitest';
import type { Task } from '../../tasks/index.ts';
import { RelayFault } from '../faults.ts';
import { rebuildForm } from '../upload.ts';
import { readVideoWish } from './video-wish.ts';
import { measuredAt, unitsOf } from './videos.ts';

const json = 'application/json';
const parent = { model: 'sora-2', input: { prompt: 'waves', seconds: 4, size: '720x1280' } } as unknown as Task;

const wished = (body: object, of?: Task) => readVideoWish(Buffer.from(JSON.stringify(body)), json, of);

async function form(fields: Readonly<Record<string, string>>) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append('input_reference', new Blob(['a picture'], { type: 'image/png' }), 'a.png');
  return rebuildForm(data, new Map());
}

/** What goes upstream of a form. */
async function sentForm({ body, contentType }: { readonly body: Buffer; readonly contentType: string }) {
  const sent = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  return Object.fromEntries([...sent].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]));
}

test('a remix is priced like what it changes, and nothing else is asked for', async () => {
  const dear = { prompt: 'bluer', seconds: '12', size: '1792x1024', model: 'sora-2-pro' };
  const wish = await wished({ ...dear, style: 'x' }, parent);
  expect(wish).toMatchObject({ model: 'sora-2', seconds: 4, size: '720x1280' });
  expect(JSON.parse((await wish.body('sora-2', {})).body.toString())).toEqual({ prompt: 'bluer', style: 'x' });
  expect(JSON.parse((await wish.body('sora-2', { seconds: '4' })).body.toString())).toMatchObject({ seconds: '4' });
  const { body, contentType } = await form(dear);
  const formed = await readVideoWish(body, contentType, parent);
  expect(formed).toMatchObject({ model: 'sora-2', seconds: 4, size: '720x1280' });
  expect(await sentForm(await formed.body('sora-2', {}))).toEqual({ prompt: 'bluer', input_reference: 'a.png' });
});

test('a form goes as it came where nothing changes, and with the upstream’s name of the model and the operator’s values', async () => {
  const fields = { model: 'sora-2', prompt: 'waves', seconds: '12', size: '1280x720' };
  const { body, contentType } = await form(fields);
  const wish = await readVideoWish(body, contentType, undefined);
  expect(wish).toMatchObject({ model: 'sora-2', seconds: 12 });
  expect((await wish.body('sora-2', {})).body).toBe(body);
  expect(await sentForm(await wish.body('deployed', {}))).toEqual({ ...fields, model: 'deployed', input_reference: 'a.png' });
  const forced = { size: '720x1280', seconds: 4, style: 'x', input_reference: null };
  expect(await sentForm(await wish.body('sora-2', forced))).toEqual({ ...fields, size: '720x1280', seconds: '4', style: 'x' });
  const remix = await form({ prompt: 'bluer' });
  expect((await (await readVideoWish(remix.body, remix.contentType, parent)).body('deployed', {})).body).toBe(remix.body);
});

test('seconds that are paid are told also where nobody said them, and only then', async () => {
  const said = async (fields: Record<string, string>, isTimed: boolean) => {
    const inJson = await (await wished(fields)).body('sora-2', {}, isTimed);
    const { body, contentType } = await form(fields);
    const inForm = await (await readVideoWish(body, contentType, undefined)).body('sora-2', {}, isTimed);
    return [JSON.parse(inJson.body.toString()).seconds, (await sentForm(inForm)).seconds];
  };
  expect(await said({ prompt: 'waves' }, true)).toEqual(['4', '4']);
  expect(await said({ prompt: 'waves' }, false)).toEqual([undefined, undefined]);
  expect(await said({ prompt: 'waves', seconds: '12' }, true)).toEqual(['12', '12']);
  const remix = await (await wished({ prompt: 'bluer' }, parent)).body('sora-2', {}, true);
  expect(JSON.parse(remix.body.toString())).toEqual({ prompt: 'bluer' });
});

test('seconds that an upstream might read otherwise are refused', async () => {
  const twice = new FormData();
  for (const seconds of ['12', '4']) twice.append('seconds', seconds);
  twice.append('prompt', 'waves');
  const { body, contentType } = await rebuildForm(twice, new Map());
  await expect(readVideoWish(body, contentType, undefined)).rejects.toThrow('duplicate field "seconds"');
  for (const key of ['Seconds', 'seconds[]', 'SIZE'])
    await expect(wished({ prompt: 'waves', [key]: 12 })).rejects.toThrow(RelayFault);
});

test('a prompt with a line break that is not escaped is the caller’s fault', async () => {
  const broken = Buffer.from('{"prompt":"waves\nand wind"}');
  await expect(readVideoWish(broken, json, undefined)).rejects.toMatchObject({ status: 400, code: 'invalid_text_request' });
});

test.each([
  ['', 1],
  ['720x1280', 1],
  ['1792x1024', 1.666666667],
  ['1024x1792', 1.666666667],
  ['1920x1080', 2.333333333],
  ['3840x2160', 2.333333333],
  ['large', 1],
])('a second of %j costs %d times one of 1280x720', (size, times) => {
  expect(unitsOf(size)).toBe(Math.round(times * 1e9));
});

test('what the operator lets a channel ask for is what is paid: its length and its size', () => {
  const wish = { prompt: 'waves', seconds: 4, size: '720x1280' };
  const at = (paramOverride: object) => measuredAt(wish, { paramOverride: { ...paramOverride } });
  const nano = 1_000_000_000;
  expect(at({ seconds: '12' })).toEqual({ input: { ...wish, seconds: 12 }, unitsNano: nano });
  expect(at({ seconds: 8, size: '1792x1024' })).toEqual({
    input: { ...wish, seconds: 8, size: '1792x1024' },
    unitsNano: 1_666_666_667,
  });
  for (const same of [{}, { seconds: 4 }, { seconds: '4', size: '720x1280' }, { seconds: 'long' }, { style: 'x' }])
    expect(at(same)).toBeUndefined();
});
