import type { LogEntry, PricePreview, PriceVersion } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { explain } from './support/routing.ts';

let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;

beforeAll(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway();
  root = await gateway.root();
  await root.addChannel({ base_url: upstream.url, models: 'heard,long,plain,gpt-4o-gizmo-*', group: 'default' });
  await root.addChannel({ base_url: upstream.url, models: 'plain', group: 'vip' });
  const values = {
    ModelRatio: { heard: 1, long: 1, plain: 1 },
    CompletionRatio: { heard: 4, long: 2 },
    AudioRatio: { heard: 20 },
    AudioCompletionRatio: { heard: 2 },
    ImageRatio: { heard: 3 },
    PriceTiers: { long: [{ up_to: 250, ratio: 1 }, { ratio: 2 }] },
    GroupRatio: { default: 1, vip: 0.8 },
    GroupGroupRatio: { default: { vip: 0.5 } },
    UserUsableGroups: { default: 'default', vip: 'vip', auto: 'auto' },
    AutoGroups: ['vip', 'default'],
  };
  const changes = Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) }));
  await root.call('PUT', '/api/option/', changes);
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

/** Makes one call that the upstream says used this much; its log row. */
async function charged(model: string, usage: Record<string, unknown>, group = ''): Promise<LogEntry & { fields: unknown }> {
  const { key } = await root.addToken({ group });
  upstream.script(() => ({ usage }));
  const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
    model,
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(answer.status, await answer.text()).toBe(200);
  const id = answer.headers.get('x-oneapi-request-id');
  const row = (await root.logs()).find(({ request_id }) => request_id === id);
  if (row === undefined) throw new Error('no log row');
  return { ...row, fields: JSON.parse(row.other) };
}

test('sound and pictures are charged by their own ratios and told of', async () => {
  const row = await charged('heard', {
    ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    prompt_tokens_details: { audio_tokens: 60, image_tokens: 10 },
    completion_tokens_details: { audio_tokens: 30 },
  });
  // 30 + 60 * 20 + 10 * 3 + 20 * 4 + 30 * 20 * 2
  expect(row.quota).toBe(2540);
  expect(row.content).toContain('音频倍率 20.00，音频补全倍率 2.00');
  expect(row.fields).toMatchObject({ audio: true, audio_input: 60, audio_output: 30, text_input: 40, text_output: 20 });
});

test('a long prompt is charged as a whole at its tier', async () => {
  const usage = (prompt: number) => ({ prompt_tokens: prompt, completion_tokens: 10, total_tokens: prompt + 10 });
  expect((await charged('long', usage(250))).quota).toBe(270);
  expect((await charged('long', usage(251))).quota).toBe(542);
});

test("auto takes the first group that serves, at the ratio between the user's group and that one", async () => {
  const row = await charged('plain', { prompt_tokens: 100, completion_tokens: 0, total_tokens: 100 }, 'auto');
  expect(row).toMatchObject({ group: 'vip', quota: 50 });
  expect(row.fields).toMatchObject({ group_ratio: 0.5, user_group_ratio: 0.5 });
});

test('custom assistants share one price and one name in the log, which says which it was', async () => {
  const row = await charged('gpt-4o-gizmo-g-123', { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 });
  // (100 + 10 * 3) * 2.5
  expect(row).toMatchObject({ model_name: 'gpt-4o-gizmo-*', quota: 325 });
  expect(row.content).toBe('模型倍率 2.50，补全倍率 3.00，分组倍率 1.00，模型 gpt-4o-gizmo-g-123');
  expect(String(upstream.requests().at(-1)?.body)).toContain('"gpt-4o-gizmo-g-123"');
  expect((await explain(root, { model: 'gpt-4o-gizmo-g-123' })).candidates).toMatchObject([{ in: true }]);
});

test('what the present prices would have brought is what these calls brought; a saved change is in force and can be undone', async () => {
  const total = (await root.logs()).reduce((sum, { quota }) => sum + quota, 0);
  const preview = (changes: object[]) => root.call<PricePreview>('POST', '/api/price/preview', { changes, days: 1 });
  expect(await preview([])).toMatchObject({ complete: true, unpriced: 0, now: total, next: total });
  const dearer = [{ key: 'ModelRatio', value: '{"heard":2,"long":1,"plain":1}' }];
  expect(await preview(dearer)).toMatchObject({ now: total, next: total + 2540 });
  await root.call('PUT', '/api/option/', dearer);
  const usage = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 };
  expect((await charged('heard', usage)).quota).toBe(20);
  const { items } = await root.call<{ items: PriceVersion[] }>('GET', '/api/price/versions');
  expect(items[0]?.diff).toEqual([{ option: 'ModelRatio', name: 'heard', from: '1', to: '2' }]);
  await root.call('POST', '/api/price/rollback', { id: items[1]?.id });
  expect((await charged('heard', usage)).quota).toBe(10);
});
