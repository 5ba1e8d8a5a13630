import type { PricingItem, Receipt } from '@tollgate/contract';
import { expect, test } from 'vitest';
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
});
