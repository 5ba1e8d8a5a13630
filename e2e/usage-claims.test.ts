import type { LogEntry, Receipt } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { booksAgree } from './support/books-agree.ts';
import { signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';

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
});
