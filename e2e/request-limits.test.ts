import { expect, test } from 'vitest';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';

onEachEngine((_engine, _open, kit) => {
  test('the operator’s limits for every user: answers and requests in all, over all tokens, counting included', async () => {
    const upstream = await startMockUpstream();
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    const [one, other] = [await root.addToken(), await root.addToken()];
    const ask = (key: string, path = '/v1/chat/completions') =>
      fetch(gateway.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
      });
    for (const [key, value] of Object.entries({ DurationMinutes: 60, Count: 6, SuccessCount: 3 }))
      await root.setOption(`ModelRequestRateLimit${key}`, value);
    await root.setOption('ModelRequestRateLimitEnabled', true);
    upstream.script(() => ({ status: 400 }));
    await eventually(async () => {
      const answer = await ask(one.key);
      expect([answer.status, answer.headers.get('x-ratelimit-limit-requests')]).toEqual([400, '3']);
    });
    upstream.script(() => ({}));
    const statuses: number[] = [];
    for (const key of [one.key, other.key]) statuses.push((await ask(key)).status);
    statuses.push((await ask(one.key, '/v1/messages/count_tokens')).status);
    expect(statuses).toEqual([200, 200, 200]);
    const refused = await ask(other.key);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await refused.text()).toContain('您已达到请求数限制：60分钟内最多请求3次');
    await root.setOption('ModelRequestRateLimitSuccessCount', 0);
    const texts: string[] = [];
    await eventually(async () => {
      const answer = await ask(one.key);
      texts.push(await answer.text());
      expect(answer.status).toBe(429);
      expect(texts.at(-1)).toContain('您已达到总请求数限制：60分钟内最多请求6次，包括失败次数，请检查您的请求是否正确');
    });
    await gateway.stop();
    await upstream.close();
  });
});
