import { expect, test } from 'vitest';
import { signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { postJson } from './support/post-json.ts';

const model = 'per-call';
/** 0.002 dollars = 1,000 quota. */
const price = 0.002;
const affordable = 100;
const parallel = 500;

onEachEngine((_engine, _open, kit) => {
  test(`${parallel} parallel calls against a wallet that can pay for ${affordable}: exactly those succeed`, async () => {
    const upstream = await ofTest(startMockUpstream());
    const gateway = await ofTest(gatewayOn(kit));
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelPrice', { [model]: price });
    await root.setOption('QuotaForNewUser', affordable * 1_000);
    await root.raw('POST', '/api/user/register', { username: 'spender', password: 'spender-password' });
    const spender = await signIn(gateway.url, 'spender', 'spender-password');
    const { key } = await spender.addToken();

    const call = async () => {
      const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
        model,
        messages: [{ role: 'user', content: 'hi' }],
      });
      const body = (await answer.json()) as { error?: { code: string } };
      return answer.status === 200 ? 'ok' : `${answer.status} ${body.error?.code}`;
    };
    const outcomes = await Promise.all(Array.from({ length: parallel }, call));

    const counts = Object.fromEntries(Map.groupBy(outcomes, (outcome) => outcome));
    const self = await spender.self();
    const proof = await root.call('GET', '/api/ledger/proof');
    const contacted = upstream.requests().length;
    expect(counts.ok?.length).toBe(affordable);
    expect(outcomes.filter((outcome) => outcome !== 'ok').every((outcome) => outcome.startsWith('403 '))).toBe(true);
    expect(contacted).toBe(affordable);
    expect(self).toMatchObject({ quota: 0, used_quota: affordable * 1_000, request_count: affordable });
    expect(proof).toMatchObject({ ok: true });
  });
});
