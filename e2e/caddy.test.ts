import { expect, onTestFinished, test } from 'vitest';
import { withCaddy } from './support/caddy.ts';
import { freePort } from './support/free-port.ts';
import { startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { postJson } from './support/post-json.ts';

/** At once: who is picked for one must not depend on what is picked for the others meanwhile. */
const calls = 300;

withCaddy((startCaddy) => {
  test('behind Caddy: two of three nodes take no connection and no call fails, a stream comes piece by piece', async () => {
    const upstream = await ofTest(startMockUpstream());
    const gateway = await startGateway({ TRUSTED_PROXIES: '127.0.0.1' });
    onTestFinished(async () => {
      // A drain that somebody looks at takes its time, and is not what is asked here.
      await gateway.kill();
      await gateway.stop();
    });
    const balancer = await ofTest(startCaddy([await freePort(), Number(new URL(gateway.url).port), await freePort()]));
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini,s20i50' });
    await root.setOption('ModelRatio', { 'gpt-4o-mini': 1, s20i50: 1 });
    const { key } = await root.addToken();
    const ask = (model: string, stream: boolean) =>
      postJson(`${balancer.url}/v1/chat/completions`, key, { model, stream, messages: [{ role: 'user', content: 'hi' }] });
    const answers = await Promise.all(Array.from({ length: calls }, () => ask('gpt-4o-mini', false)));
    const said = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()] as const));
    expect(said.filter(([status]) => status !== 200)).toEqual([]);
    expect(upstream.requests()).toHaveLength(calls);

    const streamed = await ask('s20i50', true);
    let pieces = 0;
    let isFirstEarly = false;
    for await (const _ of streamed.body ?? []) {
      if (pieces === 0) isFirstEarly = upstream.requests().at(-1)?.endedAtMs === 0;
      pieces += 1;
    }
    expect(isFirstEarly).toBe(true);
    expect(pieces).toBeGreaterThan(10);
  });
});
