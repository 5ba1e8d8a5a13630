import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from './support/free-port.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';

describe('what a program around the gateway can see', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let key: string;
  let metricsUrl: string;

  const ask = (stream: boolean, use = model) =>
    postJson(`${gateway.url}/v1/chat/completions`, key, { model: use, stream, messages: [{ role: 'user', content: 'hello' }] });
  /** Value of a sample; its labels as they stand. */
  const sample = async (name: string): Promise<number> => {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  };
  const ready = async () => {
    const answer = await fetch(`${gateway.url}/readyz`);
    return { status: answer.status, body: await answer.json() };
  };

  beforeAll(async () => {
    upstream = await startMockUpstream({ models: [model] });
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}`;
    gateway = await startGateway({ METRICS_PORT: String(port) });
    const root = await gateway.root();
    await root.addChannel({ name: 'main', base_url: upstream.url, key: 'sk-upstream-0001', models: model });
    ({ key } = await root.addToken({ name: 'metrics' }));
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  test('every charged call, its tokens and its cost are counted, and every refusal, on a port of their own', async () => {
    for (const stream of [false, true, true]) await (await ask(stream)).text();
    const refused = await ask(false, 'no-such-model');
    const { error } = (await refused.json()) as { error: { code: string } };
    const root = await gateway.root();
    await eventually(async () => expect(await root.logs('type=2')).toHaveLength(3));
    const rows = await root.logs('type=2');
    const sum = (field: 'quota' | 'prompt_tokens' | 'completion_tokens') => rows.reduce((total, row) => total + row[field], 0);
    await expect.poll(() => sample('tollgate_calls_total{channel="1",streamed="true"}')).toBe(2);
    await expect.poll(() => sample('tollgate_calls_total{channel="1",streamed="false"}')).toBe(1);
    await expect.poll(() => sample(`tollgate_tokens_total{model="${model}",kind="prompt"}`)).toBe(sum('prompt_tokens'));
    await expect.poll(() => sample(`tollgate_tokens_total{model="${model}",kind="completion"}`)).toBe(sum('completion_tokens'));
    await expect.poll(() => sample(`tollgate_quota_total{model="${model}"}`)).toBe(sum('quota'));
    await expect.poll(() => sample('tollgate_first_byte_seconds_count{streamed="true"}')).toBe(2);
    await expect.poll(() => sample(`tollgate_errors_total{code="${error.code}",status="${refused.status}"}`)).toBe(1);
    for (const gauge of ['open_calls', 'outbox_charges', 'holds', 'task_holds', 'open_breakers'])
      await expect.poll(() => sample(`tollgate_${gauge}`)).toBe(0);
    expect((await fetch(`${metricsUrl}/`)).status).toBe(404);
    // Longer than it takes until who asks once a minute comes again.
    expect((await fetch(`${metricsUrl}/metrics`)).headers.get('keep-alive')).toBe('timeout=65');
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).not.toContain('tollgate_calls_total');
  });

  test('every job says when it last had a turn, and each has had one within three of its periods', async () => {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text();
    const named = (figure: string) =>
      new Map(
        [...text.matchAll(new RegExp(`^tollgate_job_${figure}_seconds\\{name="([\\w-]+)"\\} (\\S+)$`, 'gm'))].map(
          ([, name = '', value]) => [name, Number(value)],
        ),
      );
    const [last, period] = [named('last_turn_timestamp'), named('period')];
    expect([...last.keys()]).toEqual(
      expect.arrayContaining(['hold-sweep', 'outbox-replay', 'notices', 'task-poll', 'log-sums', 'order-asks']),
    );
    expect([...period.keys()]).toEqual([...last.keys()]);
    const late = [...last].filter(([name, at]) => Date.now() / 1_000 - at > 10 + 3 * (period.get(name) ?? 0));
    expect(late).toEqual([]);
  });

  test('a gateway that ends says so first and still serves for a moment', async () => {
    expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } });
    expect(await (await fetch(`${gateway.url}/healthz`)).json()).toEqual({ status: 'ok' });
    const exited = once(gateway.process, 'exit');
    gateway.process.kill('SIGTERM');
    await expect.poll(ready).toEqual({ status: 503, body: { status: 'not_ready', reasons: ['draining'] } });
    const answer = await ask(true);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('[DONE]');
    expect(await exited).toEqual([0, null]);
  });
});
