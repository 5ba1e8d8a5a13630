import type { LogEntry, Receipt } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { booksAgree } from './support/books-agree.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type MockScript, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { eventually } from './support/wait.ts';

type Json = Readonly<Record<string, unknown>>;

const painter = 'doubao-seedream-4-5';
const weaver = 'drawn-by-ratio';
/** 0.04 dollars a picture, of 500,000 units each. */
const each = 20_000;
const picture = { url: 'https://pictures.example/1.png' };
const failed = { error: { code: 'OutputImageSensitiveContentDetected', message: 'not this one' } };
const sketch = { type: 'image_generation.partial_image', b64_json: 'AA==', partial_image_index: 0 };
const done = { type: 'image_generation.completed', b64_json: 'AA==' };
const made = (index: number) => ({ type: 'image_generation.partial_succeeded', image_index: index, ...picture });
const set = (most: number) => ({
  sequential_image_generation: 'auto',
  sequential_image_generation_options: { max_images: most },
});

const whole = (...data: readonly unknown[]): MockScript => ({ body: { created: 1, data } });
const streamed = (...events: readonly unknown[]): MockScript => ({
  body: [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  contentType: 'text/event-stream',
});

onEachEngine((_engine, _open, kit) => {
  test('of pictures those are charged that were delivered, and the rest of the hold is free again', async () => {
    const upstream = await startMockUpstream();
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: `${painter},${weaver}` });
    await root.setOption('ModelPrice', { [painter]: 0.04 });
    await root.setOption('ModelRatio', { [weaver]: 2 });
    const { key } = await root.addToken();
    const ask = (body: Json) =>
      postJson(`${gateway.url}/v1/images/generations`, key, { model: painter, prompt: 'a gate', ...body });
    upstream.script(() => whole(picture));
    await eventually(async () => expect([(await ask({})).status, (await ask({ model: weaver })).status]).toEqual([200, 200]));

    /** Asks once; what it took from the wallet, its log row and its receipt. */
    const charged = async (body: Json, script: MockScript) => {
      upstream.script(() => script);
      const before = (await root.self()).quota;
      const answer = await ask(body);
      const text = await answer.text();
      const id = answer.headers.get('x-oneapi-request-id');
      let row: LogEntry | undefined;
      await eventually(async () => {
        row = (await root.logs()).find(({ request_id }) => request_id === id);
        expect(row).toBeDefined();
      });
      const receipt = await root.call<Receipt>('GET', `/api/log/${row?.id}/receipt`);
      expect(receipt).toMatchObject({ state: 'ok', collected: row?.quota, recomputed: row?.quota, shortfall: 0 });
      const taken = before - (await root.self()).quota;
      expect(taken).toBe(row?.quota);
      return { status: answer.status, text, taken, receipt, content: row?.content, other: JSON.parse(row?.other ?? '') as Json };
    };
    const both = { pictures_asked: 4, pictures_delivered: 2 };

    // In one piece.
    const fewer = await charged({ n: 4 }, whole(picture, failed, picture));
    expect(fewer).toMatchObject({ status: 200, taken: 2 * each, other: both });
    expect(fewer.receipt).toMatchObject({ ...both, lines: [{ part: 'calls', amount: '2' }] });
    expect(fewer.content).toBe('模型价格 0.04，分组倍率 1.00, 大小 1024x1024, 品质 standard，请求图片 4，交付图片 2');
    const all = await charged({ n: 2 }, whole(picture, picture));
    expect(all.taken).toBe(2 * each);
    for (const told of [all.other, all.receipt]) expect(told).not.toHaveProperty('pictures_asked');
    expect(await charged({ n: 2 }, whole(picture, picture, picture))).toMatchObject({ taken: 2 * each });
    expect(await charged({ n: 2 }, whole({ picture: 'AA==' }))).toMatchObject({ taken: 2 * each });
    expect(await charged(set(5), whole(picture, picture, picture))).toMatchObject({ taken: 3 * each });
    // 0.0025 dollars times the ratio a picture; tokens that the upstream counted stay as they are.
    expect(await charged({ model: weaver, n: 4 }, whole(picture, picture))).toMatchObject({ taken: 5_000, other: both });
    const told = { body: { data: [picture, picture], usage: { input_tokens: 50, output_tokens: 100, total_tokens: 150 } } };
    const counted = await charged({ model: weaver, n: 4 }, told);
    expect(counted.taken).toBe(300);
    expect(counted.receipt).not.toHaveProperty('pictures_asked');

    // As streams.
    const stream = { stream: true };
    expect(await charged({ n: 2, ...stream }, streamed(sketch, sketch, sketch, done))).toMatchObject({
      ...{ taken: each, other: { pictures_asked: 2, pictures_delivered: 1 } },
      receipt: { pictures_asked: 2, pictures_delivered: 1, lines: [{ part: 'calls', amount: '1' }] },
    });
    const miss = { type: 'image_generation.partial_failed', image_index: 1, ...failed };
    const end = { type: 'image_generation.completed', usage: { generated_images: 2 } };
    const one = await charged({ ...set(4), ...stream }, streamed(made(0), miss, made(2), end));
    expect(one).toMatchObject({ taken: 2 * each, other: both });
    expect(one.text).toBe(streamed(made(0), miss, made(2), end).body);
    expect(await charged({ n: 2, ...stream }, streamed({ b64_json: 'AA==' }))).toMatchObject({ taken: 2 * each });
    const broken = streamed(made(0), sketch, made(1));
    const cutAtByte = String(broken.body).indexOf('[DONE]');
    expect(await charged({ n: 4, ...stream }, { ...broken, cutAtByte, cut: 'clean' })).toMatchObject({ taken: 2 * each });

    // None at all: nothing is charged, and nothing stays held.
    upstream.script(() => whole(failed, failed));
    const before = (await root.self()).quota;
    const refused = await ask({ n: 2 });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'no_images' } }]);
    await eventually(async () => expect((await root.self()).quota).toBe(before));
    await booksAgree(gateway, root);
    const nothing = { type: 'image_generation.completed', usage: { generated_images: 0 } };
    expect(await charged({ n: 2, ...stream }, streamed(miss, miss, nothing))).toMatchObject({ taken: 0 });
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    await gateway.stop();
    await upstream.close();
  });

  test('who leaves a stream of pictures early pays for what its upstream was asked for', async () => {
    const upstream = await startMockUpstream();
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: painter });
    await root.setOption('ModelPrice', { [painter]: 0.04 });
    const { key } = await root.addToken();
    const script = streamed(sketch, done);
    const cutAtByte = String(script.body).indexOf('data: ', 1);
    upstream.script(() => ({ ...script, cutAtByte, cut: 'hang' }));
    let asked: Response | undefined;
    const leaving = new AbortController();
    await eventually(async () => {
      asked = await postJson(
        `${gateway.url}/v1/images/generations`,
        key,
        { model: painter, prompt: 'a gate', n: 2, stream: true },
        { signal: leaving.signal },
      );
      expect(asked.status).toBe(200);
    });
    await asked?.body?.getReader().read();
    leaving.abort();
    await eventually(async () => expect((await root.logs()).map(({ quota }) => quota)).toEqual([2 * each]));
    await booksAgree(gateway, root);
    await gateway.stop();
    await upstream.close();
  });
});
