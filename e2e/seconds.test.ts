import type { PricingItem, Receipt } from '@tollgate/contract';
import { toFile } from 'openai';
import { expect, test } from 'vitest';
import { openaiOf } from './conformance/clients.ts';
import { pngBase64, wav } from './conformance/rows/samples.ts';
import { booksAgree } from './support/books-agree.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'whisper-1';

onEachEngine((_engine, _open, kit) => {
  test('sound is charged by the seconds that the upstream measured, at a price per second or per token, within what the file can hold', async () => {
    const upstream = await startMockUpstream();
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    const { key } = await root.addToken();
    await root.setOption('SecondPrice', { [model]: 0.0001 });
    await eventually(async () => {
      const { data } = (await (await fetch(`${gateway.url}/api/pricing`)).json()) as { data: PricingItem[] };
      expect(data).toMatchObject([{ model_name: model, model_price: 0.0001, per_second: true }]);
    });
    const transcribe = async (body: Readonly<Record<string, unknown>>) => {
      upstream.script(() => ({ body }));
      const form = new FormData();
      form.set('model', model);
      form.set('file', new Blob([new Uint8Array(1000)], { type: 'audio/mpeg' }), 'a.mp3');
      const authorization = `Bearer ${key}`;
      const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization },
        body: form,
      });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('hi')]);
    };
    let rows = 0;
    const charged = async () => {
      rows += 1;
      await eventually(async () => expect(await root.logs()).toHaveLength(rows));
      const [row] = await root.logs();
      const receipt = await root.call<Receipt>('GET', `/api/log/${row?.id}/receipt`);
      expect(receipt).toMatchObject({ state: 'ok', collected: row?.quota });
      return { quota: row?.quota, content: row?.content, ...receipt };
    };
    // 0.0001 dollars * 12.5 s * 500,000
    await transcribe({ text: 'hi', duration: 12.5 });
    expect(await charged()).toMatchObject({ quota: 625, per_second: true, lines: [{ part: 'calls', amount: '12.5' }] });
    await transcribe({ text: 'hi', usage: { type: 'duration', seconds: 20 } });
    expect(await charged()).toMatchObject({ quota: 1000, content: '模型每秒价格 0.0001，分组倍率 1.00' });
    // 1,000 bytes are at most 4 s of speech, and a minute is granted.
    await transcribe({ text: 'hi', duration: 900_000 });
    expect(await charged()).toMatchObject({ quota: 3200, usage_anomaly: true });
    // Nobody measured: 64 kbit/s.
    await transcribe({ text: 'hi' });
    expect(await charged()).toMatchObject({ quota: 6, lines: [{ amount: '0.125' }] });

    await root.setOption('SecondPrice', {});
    await root.setOption('ModelRatio', { [model]: 2 });
    await eventually(async () => {
      await transcribe({ text: 'hi', duration: 30 });
      // 500 tokens for half a minute, times 2.
      expect(await charged()).toMatchObject({ quota: 1000, kind: 'token', usage_source: 'upstream' });
    });
    await booksAgree(gateway, root);
    await gateway.stop();
    await upstream.close();
  });

  test('a form of an SDK passes and is charged by what is in it; one that can be read in two ways reaches nobody', async () => {
    const painter = 'dall-e-2';
    const upstream = await startMockUpstream();
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: `${model},${painter}` });
    await root.setOption('SecondPrice', { [model]: 0.0001 });
    await root.setOption('ModelPrice', { [painter]: 0.02 });
    const { key } = await root.addToken();
    const openai = openaiOf({ gateway, key });
    const drawn = { data: [{ b64_json: 'AA==' }, { b64_json: 'AQ==' }] };
    upstream.script(({ path }) => ({ body: path.includes('images') ? drawn : { text: 'hi' } }));
    // As a recorder sends it that does not know yet how long it will be.
    const recording = wav(60 * 8_000);
    recording.writeUInt32LE(0, 40);
    const file = await toFile(recording, 'a.wav', { type: 'audio/wav' });
    const png = () => toFile(Buffer.from(pngBase64, 'base64'), 'a.png', { type: 'image/png' });
    await eventually(async () => {
      const heard = openai.audio.transcriptions.create({
        ...{ model, file, response_format: 'verbose_json' as const },
        timestamp_granularities: ['word', 'segment'],
      });
      expect((await heard).text).toBe('hi');
    });
    expect(
      upstream
        .requests()
        .at(-1)
        ?.body.toString('latin1')
        .match(/name="timestamp_granularities\[\]"/g),
    ).toHaveLength(2);
    await openai.images.edit({ model: painter, prompt: 'a hat', n: 2, image: [await png(), await png()] });
    expect(
      upstream
        .requests()
        .at(-1)
        ?.body.toString('latin1')
        .match(/name="image\[\]"/g),
    ).toHaveLength(2);
    // 0.0001 dollars * 60 s * 500,000; 0.02 dollars * 2 pictures * 500,000
    const charged = async () => (await root.logs()).map(({ model_name, quota }) => [model_name, quota]);
    const all = [
      [painter, 20_000],
      [model, 3_000],
    ];
    await eventually(async () => expect(await charged()).toEqual(all));

    const seen = upstream.requests().length;
    const refused = async (path: string, body: FormData | string, reason: string) => {
      const answer = await fetch(gateway.url + path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
      expect([path, answer.status, await answer.text()]).toEqual([path, 400, expect.stringContaining(reason)]);
    };
    const formOf = (...parts: (readonly [string, string | File])[]) => {
      const form = new FormData();
      for (const [name, value] of parts) form.append(name, value);
      return form;
    };
    const drawing = [
      ['model', painter],
      ['prompt', 'a hat'],
      ['image', await png()],
      ['n', '1'],
    ] as const;
    for (const [more, reason] of [
      [['n', '10'], 'duplicate field'],
      [['model', 'dear'], 'duplicate field'],
      [['n[]', '10'], 'must be spelled'],
      [['SIZE', '1792x1024'], 'must be spelled'],
    ] as const)
      await refused('/v1/images/edits', formOf(...drawing, more), reason);
    const short = await toFile(wav(80), 'b.wav');
    await refused('/v1/audio/transcriptions', formOf(['model', model], ['file', short], ['file', file]), 'more than one file');
    await refused('/v1/images/generations', JSON.stringify({ model: painter, prompt: 'a hat', N: 10 }), 'must be spelled');
    expect(upstream.requests().length).toBe(seen);
    expect(await charged()).toEqual(all);
    await booksAgree(gateway, root);
    await gateway.stop();
    await upstream.close();
  });
});
