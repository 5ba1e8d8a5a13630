import type { LogEntry, PricingExtras, PricingItem, Receipt } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Console } from '../../e2e/support/console-client.ts';
import { type Gateway, startGateway } from '../../e2e/support/gateway.ts';
import { postJson } from '../../e2e/support/post-json.ts';
import { type Answers, startAnswering, type Web } from '../../e2e/support/stand-ins/web.ts';

type Json = Record<string, unknown>;

/** Each answer takes 30 tokens of the prompt and 10 of its own, at one unit of quota a token. */
const plain = 40;
const told: { service_tier?: string; speed?: string; inference_geo?: string } = {};
const frame = (data: Json) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: Json) => `event: ${data.type}\n${frame(data)}`;

/** Undefined members are left out by JSON. */
const answers: Answers = {
  '/v1/chat/completions': (isStream) => {
    const { service_tier } = told;
    const usage = { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 };
    if (!isStream) return JSON.stringify({ choices: [{ index: 0, message: { content: 'a' } }], service_tier, usage });
    const deltas = ['a', 'b', 'c', 'd'].map((content) => frame({ choices: [{ index: 0, delta: { content } }], service_tier }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], service_tier };
    return `${deltas.join('')}${frame(end)}${frame({ choices: [], service_tier, usage })}data: [DONE]\n\n`;
  },
  '/v1/responses': (isStream) => {
    const output = [
      { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
    ];
    const usage = { input_tokens: 30, output_tokens: 10, total_tokens: 40 };
    const response = { id: 'r', object: 'response', status: 'completed', output, usage, service_tier: told.service_tier };
    if (!isStream) return JSON.stringify(response);
    const delta = { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'a' };
    const begun = { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } };
    return [begun, delta, { type: 'response.completed', response }].map(named).join('');
  },
  '/v1/messages': (isStream) => {
    const usage = { input_tokens: 30, output_tokens: isStream ? 1 : 10, ...told };
    const message = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a' }], usage };
    if (!isStream) return JSON.stringify({ ...message, stop_reason: 'end_turn' });
    return [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ]
      .map(named)
      .join('');
  },
  '/model/nova/converse': () => {
    const usage = { inputTokens: 30, outputTokens: 10, totalTokens: 40 };
    const output = { message: { role: 'assistant', content: [{ text: 'a' }] } };
    const serviceTier = told.service_tier === undefined ? undefined : { type: told.service_tier };
    return JSON.stringify({ output, stopReason: 'end_turn', usage, serviceTier });
  },
  '/v1beta/models/gem:generateContent': () => JSON.stringify(gemini()),
  '/v1beta/models/gem:streamGenerateContent': () => frame(gemini()),
};

function gemini(): Json {
  const content = { role: 'model', parts: [{ text: 'a' }] };
  const usageMetadata = { promptTokenCount: 30, candidatesTokenCount: 10, totalTokenCount: 40, serviceTier: told.service_tier };
  return { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata };
}

let upstream: Web;
let gateway: Gateway;
let root: Console;
let key = '';
const asked = () => upstream.received.map(({ body }) => JSON.parse(body) as Json);

beforeAll(async () => {
  upstream = await startAnswering(answers);
  const address = upstream.origin;
  gateway = await startGateway();
  root = await gateway.root();
  const models = ['gpt', 'claude', 'gem', 'nova', 'set'];
  const ones = Object.fromEntries(models.map((model) => [model, 1]));
  await root.setOption('ModelRatio', ones);
  await root.setOption('CompletionRatio', ones);
  await root.setOption('ServiceTierRatio', { '*': { priority: 2, fast: 3, flex: 0.5, us: 1.1 }, gem: { priority: 1.75 } });
  await root.addChannel({ type: 1, models: 'gpt', base_url: address });
  await root.addChannel({ type: 1, models: 'set', base_url: address, param_override: '{"service_tier":"default"}' });
  await root.addChannel({ type: 14, models: 'claude', base_url: address });
  await root.addChannel({ type: 24, models: 'gem', base_url: address });
  await root.addChannel({ type: 33, models: 'nova', base_url: address, key: 'AKIDEXAMPLE|secret|us-east-1' });
  key = (await root.addToken()).key;
});

afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.received.length = 0;
  told.service_tier = undefined;
  told.speed = undefined;
  told.inference_geo = undefined;
});

async function ask(path: string, body: Json): Promise<{ status: number; text: string }> {
  const answer = await postJson(gateway.url + path, key, body);
  return { status: answer.status, text: await answer.text() };
}

const messages = [{ role: 'user', content: 'hi' }];
const chat = (more: Json) => ask('/v1/chat/completions', { model: 'gpt', messages, ...more });
const responses = (more: Json) => ask('/v1/responses', { model: 'gpt', input: 'hi', ...more });
const claude = (more: Json) => ask('/v1/messages', { model: 'claude', messages, max_tokens: 50, ...more });
const google = ({ stream, ...more }: Json) =>
  ask(`/v1beta/models/gem:${stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, {
    contents: [{ parts: [{ text: 'hi' }] }],
    ...more,
  });

/** The answer comes when its charge is durable. */
async function chargedFor(asking: Promise<{ status: number; text: string }>): Promise<LogEntry> {
  const { status, text } = await asking;
  expect([status, text]).toEqual([200, expect.stringContaining('a')]);
  const [row] = await root.logs();
  if (row === undefined) throw new Error('nothing was charged');
  return row;
}

async function receiptOf({ id }: LogEntry): Promise<Receipt> {
  return await root.call<Receipt>('GET', `/api/log/${id}/receipt`);
}

const dialects = [
  ['chat', chat, 'service_tier', 2],
  ['responses', responses, 'service_tier', 2],
  ['messages', claude, 'service_tier', 2],
  ['gemini', google, 'serviceTier', 1.75],
] as const;

test.each(dialects.flatMap((each) => [false, true].map((stream) => [...each, stream] as const)))(
  '%s: the tier that the answer tells is charged, else the one that was asked for (%#)',
  async (_name, call, member, ratio, stream) => {
    const silent = await chargedFor(call({ [member]: 'priority', stream }));
    expect(silent.quota).toBe(plain * ratio);
    expect(JSON.parse(silent.other)).toMatchObject({ service_tier: 'priority', service_tier_ratio: ratio });
    expect(silent.content).toContain(`服务档位 priority 倍率 ${ratio.toFixed(2)}`);
    told.service_tier = 'priority';
    const row = await chargedFor(call({ [member]: 'priority', stream }));
    const cost = plain * ratio;
    expect(await receiptOf(row)).toMatchObject({
      ...{ service_tier: 'priority', service_tier_ratio: String(ratio), surcharge: '', exact: String(cost) },
      ...{ cost, recomputed: cost, collected: cost, state: 'ok' },
    });
    for (const downgraded of ['default', 'standard']) {
      told.service_tier = downgraded;
      const lower = await chargedFor(call({ [member]: 'priority', stream }));
      expect([lower.quota, await receiptOf(lower)]).toEqual([plain, expect.not.objectContaining({ service_tier: 'default' })]);
    }
    expect(asked().map((body) => body[member])).toEqual(Array.from({ length: 4 }, () => 'priority'));
  },
);

test('what was not chosen is not charged, whatever an answer says, and never more than what was', async () => {
  told.service_tier = 'priority';
  for (const more of [{}, { service_tier: 'auto' }, { service_tier: null }, { stream: true }])
    expect((await chargedFor(chat(more))).quota).toBe(plain);
  told.service_tier = 'fast';
  expect((await chargedFor(chat({ service_tier: 'priority' }))).quota).toBe(plain * 2);
});

test('a cheaper tier is charged as such only where the answer says that it was one', async () => {
  expect((await chargedFor(chat({ service_tier: 'flex' }))).quota).toBe(plain);
  told.service_tier = 'flex';
  for (const stream of [false, true]) expect((await chargedFor(chat({ service_tier: 'flex', stream }))).quota).toBe(plain / 2);
});

test('speed and place of a Claude call cost what they cost, together too', async () => {
  for (const stream of [false, true]) {
    told.speed = 'fast';
    expect((await chargedFor(claude({ speed: 'fast', stream }))).quota).toBe(plain * 3);
    const both = await chargedFor(claude({ speed: 'fast', inference_geo: 'us', stream }));
    expect([both.quota, await receiptOf(both)]).toMatchObject([
      132,
      { service_tier: 'fast+us', service_tier_ratio: '3.3', state: 'ok' },
    ]);
    told.speed = 'standard';
    expect((await chargedFor(claude({ speed: 'fast', stream }))).quota).toBe(plain);
  }
});

test('a Claude call that was made elsewhere than it asked for pays for where it was made', async () => {
  for (const stream of [false, true]) {
    told.inference_geo = 'us';
    expect((await chargedFor(claude({ inference_geo: 'us', stream }))).quota).toBe(plain * 1.1);
    for (const elsewhere of ['global', 'not_available']) {
      told.inference_geo = elsewhere;
      expect((await chargedFor(claude({ inference_geo: 'us', stream }))).quota).toBe(plain);
    }
    told.inference_geo = 'us';
    expect((await chargedFor(claude({ inference_geo: 'global', stream }))).quota).toBe(plain);
  }
});

test('a call of Bedrock’s Converse is charged at the tier that its answer tells', async () => {
  const nova = (service_tier: string) => chargedFor(chat({ model: 'nova', service_tier }));
  expect([(await nova('priority')).quota, (await nova('flex')).quota]).toEqual([plain * 2, plain]);
  told.service_tier = 'default';
  expect((await nova('priority')).quota).toBe(plain);
  told.service_tier = 'flex';
  expect((await nova('flex')).quota).toBe(plain / 2);
  const tiers = ['priority', 'flex', 'priority', 'flex'];
  expect(asked().map(({ serviceTier }) => serviceTier)).toEqual(tiers.map((type) => ({ type })));
});

test('what the upstream was not asked for is not charged', async () => {
  // Claude's dialect has no word for it, and the other channel says another.
  expect((await chargedFor(ask('/v1/chat/completions', { model: 'claude', messages, service_tier: 'priority' }))).quota).toBe(
    plain,
  );
  expect((await chargedFor(chat({ model: 'set', service_tier: 'priority' }))).quota).toBe(plain);
  expect(asked().map(({ service_tier }) => service_tier)).toEqual([undefined, 'default']);
});

test('what the answer tells of was asked for, whatever a channel overrides or a dialect loses', async () => {
  told.service_tier = 'priority';
  const content = [{ type: 'text', text: 'hi', service_tier: 'x' }];
  const row = await chargedFor(chat({ model: 'set', messages: [{ role: 'user', content }], service_tier: 'priority' }));
  expect(row.quota).toBe(plain * 2);
});

test.each([
  ['has no price', { service_tier: 'turbo' }, /\\"service_tier\\" \\"turbo\\" has no price here/],
  ['has another type', { service_tier: { type: 'priority' } }, /\\"service_tier\\" must be a short text/],
  ['is spelled in another way', { Service_Tier: 'priority' }, /must be spelled \\"service_tier\\"/],
  ['is said twice', { service_tier: 'priority', serviceTier: 'priority' }, /must be said once/],
] as const)('a tier that %s is refused before anybody is asked', async (_what, more, text) => {
  const before = (await root.logs()).length;
  const answer = await chat(more);
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(text)]);
  expect([asked(), (await root.logs()).length]).toEqual([[], before]);
});

test.each([
  'N',
  'Stream',
  'Max_Tokens',
  'max_completion_toKens',
  'ſtream_options',
  'Background',
  'Conversation',
  'generation_Config',
  'Tools',
])('what an upstream may read as a member that says what a call comes to is refused: %s', async (name) => {
  const before = (await root.logs()).length;
  const answer = await chat({ [name]: 2 });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('must be spelled')]);
  expect([asked(), (await root.logs()).length]).toEqual([[], before]);
});

test('the price list tells what every model asks more for, and what one of them does', async () => {
  const list = (await (await fetch(`${gateway.url}/api/pricing`)).json()) as PricingExtras & { data: PricingItem[] };
  expect(list.service_tier_ratio).toEqual({ priority: 2, fast: 3, flex: 0.5, us: 1.1 });
  const own = list.data.map(({ model_name, service_tier_ratio }) => [model_name, service_tier_ratio]);
  expect(own).toContainEqual(['gem', { priority: 1.75 }]);
  expect(own).toContainEqual(['gpt', undefined]);
});

test('what is held covers the dearer tier: who can pay the plain call alone is not served', async () => {
  await root.setOption('PreConsumedQuota', 0);
  const { key: poor } = await root.addToken({ name: 'poor', unlimited_quota: false, remain_quota: 300 });
  const saved = key;
  key = poor;
  // 5 tokens of the prompt at most, and 64 more, with 150 of the answer.
  expect((await chat({ max_tokens: 150, service_tier: 'priority' })).status).toBe(403);
  expect(asked()).toEqual([]);
  expect((await chat({ max_tokens: 150 })).status).toBe(200);
  key = saved;
});
