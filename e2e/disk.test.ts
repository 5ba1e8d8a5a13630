import { expect, test } from 'vitest';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';

const model = 'gpt-4o-mini';

onEachEngine((_engine, _open, kit) => {
  test('F-03: on a disk that is nearly full nothing new is held for, in words that say why; what is there is still told', async () => {
    const upstream = await ofTest(startMockUpstream());
    // More than any disk has.
    const gateway = await ofTest(gatewayOn(kit, { DISK_RESERVE_MB: '1000000000' }));
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: `${model},mj_imagine` });
    const { key } = await root.addToken();
    const ask = (path: string, body?: object) =>
      fetch(gateway.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const chat = await ask('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }] });
    expect([chat.status, chat.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await chat.json()).toMatchObject({ error: { code: 'disk_full', message: expect.stringContaining('磁盘') } });
    expect((await ask('/mj/submit/imagine', { prompt: 'a cat' })).status).toBe(503);
    const answered = ['/v1/models', '/v1/balance', '/v1/videos'].map(async (path) => (await ask(path)).status);
    expect(await Promise.all(answered)).toEqual([200, 200, 200]);
    expect(upstream.requests()).toEqual([]);
    await expect.poll(() => gateway.output()).toContain('the disk is nearly full');
  });
});
