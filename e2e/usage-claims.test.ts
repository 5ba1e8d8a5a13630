import type { LogEntry, Receipt } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { booksAgree } from './support/books-agree.ts';
import { signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Dialect } from './support/mock/dialect.ts';
import { openaiChat } from './support/mock/openai-chat.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
const deafToCaps: Dialect = (request, script) =>
  openaiChat({ ...request, json: { ...request.json, max_tokens: undefined } }, script);

onEachEngine((_engine, _open, kit) => {
  test('an upstream that claims 100,000,000 tokens for a short question does not empty the wallet, whole or streamed', async () => {
    const upstream = await startMockUpstream({ defaults: { promptTokens: 100_000_000, completionTokens: 5, usage: 'always' } });
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelRatio', { [model]: 1 });
    await root.setOption('QuotaForNewUser', 1_000_000);
    await root.raw('POST', '/api/user/register', { username: 'spender', password: 'spender-password' });
    const spender = await signIn(gateway.url, 'spender', 'spender-password');
    const { key } = await spender.addToken();
    const ask = async (stream: boolean) => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    };
    await ask(false);
    await ask(true);
    let rows: readonly LogEntry[] = [];
    await eventually(async () => {
      rows = await root.logs();
      expect(rows).toHaveLength(2);
    });
    for (const row of rows) {
      expect(row.prompt_tokens).toBeLessThan(201_000);
      expect(row.quota).toBeLessThan(202_000);
      expect(JSON.parse(row.other)).toMatchObject({ usage_anomaly: true, usage_source: 'upstream' });
      const receipt = await root.call<Receipt>('GET', `/api/log/${row.id}/receipt`);
      expect(receipt).toMatchObject({ usage_anomaly: true, state: 'ok', collected: row.quota, shortfall: 0 });
    }
    expect((await spender.self()).quota).toBeGreaterThan(590_000);
    await expect.poll(() => gateway.output()).toContain('an upstream claims more prompt');
    await booksAgree(gateway, root);
    await gateway.stop();
    await upstream.close();
  });

  test('an upstream that goes on beyond the cap it was told is cut off, and no more than the cap is charged, counted or told', async () => {
    const upstream = await startMockUpstream({ dialects: [['POST /chat/completions', deafToCaps]] });
    const gateway = await gatewayOn(kit, { HOLD_CHECKPOINT_SECONDS: '1' });
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelRatio', { [model]: 1 });
    await root.setOption('CompletionRatio', { [model]: 1 });
    await root.setOption('QuotaForNewUser', 1_000_000);
    await root.raw('POST', '/api/user/register', { username: 'spender', password: 'spender-password' });
    const spender = await signIn(gateway.url, 'spender', 'spender-password');
    const { key } = await spender.addToken();
    const ask = async (stream: boolean, maxTokens: number) => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, stream, max_tokens: maxTokens, messages: [{ role: 'user', content: 'hi' }] }),
      });
      return answer.text();
    };
    upstream.script([
      { chunks: 100_000, chunkDelayMs: 1, usage: 'missing' },
      { text: 'word '.repeat(3_000), usage: 'missing' },
      { chunks: 3_000, usage: 'missing' },
    ]);
    expect(await ask(true, 16)).toMatch(/"message":"the answer is longer than its caller allowed.*\n\n$/);
    const [endless] = upstream.requests();
    await expect.poll(() => endless?.aborted).toBe(true);
    expect(await ask(false, 16)).toContain('word word');
    // Within twice the cap and a thousand it comes whole: tokens are counted roughly while it runs.
    expect(await ask(true, 1_500)).toMatch(/\[DONE\]\n\n$/);
    let rows: readonly LogEntry[] = [];
    await eventually(async () => {
      rows = await root.logs();
      expect(rows).toHaveLength(3);
    });
    expect(rows.map(({ completion_tokens: completion }) => completion).reverse()).toEqual([33, 33, 1_591]);
    for (const row of rows) {
      expect(JSON.parse(row.other)).toMatchObject({ usage_anomaly: true });
      expect(await root.call<Receipt>('GET', `/api/log/${row.id}/receipt`)).toMatchObject({ state: 'ok', shortfall: 0 });
    }
    await booksAgree(gateway, root);
    await gateway.stop();
    await upstream.close();
  });
});
