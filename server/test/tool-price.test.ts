import type { LogEntry, PricePreview, PricingExtras, PricingItem, Receipt } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Console } from '../../e2e/support/console-client.ts';
import { type Gateway, startGateway } from '../../e2e/support/gateway.ts';
import { postJson } from '../../e2e/support/post-json.ts';
import { type Answers, startAnswering, type Web } from '../../e2e/support/stand-ins/web.ts';

type Json = Record<string, unknown>;

/** Each answer takes 30 tokens of the prompt and 10 of its own, at one unit of quota a token. */
const plain = 40;
/** Of 10 dollars for 1,000, at 500,000 units a dollar. */
const search = 5_000;
let searches = 0;
let isCut = false;
/** Of the searches, as an answer of responses tells; undefined = it does not. */
let billed: number | undefined;
const frame = (data: Json) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: Json) => `event: ${data.type}\n${frame(data)}`;
const usage = { input_tokens: 30, output_tokens: 10, total_tokens: 40 };

const answers: Answers = {
  '/v1/chat/completions': (isStream) => {
    const counted = { prompt_tokens: 30, completion_tokens: 10, server_tool_use: { web_search_requests: searches } };
    if (!isStream) return JSON.stringify({ choices: [{ index: 0, message: { content: 'a' } }], usage: counted });
    const deltas = ['a', 'b', 'c', 'd'].map((content) => frame({ choices: [{ index: 0, delta: { content } }] }));
    const end = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    return `${deltas.join('')}${end}${frame({ choices: [], usage: counted })}data: [DONE]\n\n`;
  },
  '/v1/responses': (isStream) => {
    const items = Array.from({ length: searches }, (_, at) => ({
      ...{ type: 'web_search_call', id: `ws_${at}`, status: 'completed' },
      action: { type: 'search', query: 'q' },
    }));
    const said = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] };
    const tool_usage = billed === undefined ? undefined : { web_search: { num_requests: billed } };
    const response = { id: 'r', object: 'response', status: 'completed', output: [...items, said], usage, tool_usage };
    if (!isStream) return JSON.stringify(response);
    const begun = { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } };
    const done = items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }));
    const delta = {
      ...{ type: 'response.output_text.delta', item_id: 'm', output_index: searches, content_index: 0 },
      delta: 'a',
    };
    return [begun, ...done, delta, ...(isCut ? [] : [{ type: 'response.completed', response }])].map(named).join('');
  },
  '/v1/messages': (isStream) => {
    const counted = { input_tokens: 30, output_tokens: 10, server_tool_use: { web_search_requests: searches } };
    const message = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a' }], usage: counted };
    if (!isStream) return JSON.stringify({ ...message, stop_reason: 'end_turn' });
    return [
      { type: 'message_start', message: { ...message, content: [], usage: { input_tokens: 30, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: counted },
      { type: 'message_stop' },
    ]
      .map(named)
      .join('');
  },
  '/v1beta/models/gem:generateContent': () => JSON.stringify(gemini()),
  '/v1beta/models/gem:streamGenerateContent': () => frame(gemini()),
};

function gemini(): Json {
  const content = { role: 'model', parts: [{ text: 'a' }] };
  const webSearchQueries = Array.from({ length: searches }, (_, at) => `q${at}`);
  const candidate = { index: 0, content, finishReason: 'STOP', groundingMetadata: { webSearchQueries } };
  return { candidates: [candidate], usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 10, totalTokenCount: 40 } };
}

let upstream: Web;
let gateway: Gateway;
let root: Console;
let key = '';

beforeAll(async () => {
  upstream = await startAnswering(answers);
  const address = upstream.origin;
  gateway = await startGateway();
  root = await gateway.root();
  const models = ['gpt', 'claude', 'gem', 'set', 'later'];
  const ones = Object.fromEntries(models.map((model) => [model, 1]));
  await root.setOption('ModelRatio', ones);
  await root.setOption('CompletionRatio', ones);
  await root.setOption('ToolPrice', {
    '*': { web_search: 10, google_search: 35 },
    gem: { google_search: 0, google_search_query: 10 },
  });
  await root.setOption('PreConsumedQuota', 0);
  await root.addChannel({ type: 1, models: 'gpt', base_url: address });
  await root.addChannel({ type: 1, models: 'set', base_url: address, param_override: '{"tools":[{"type":"web_search"}]}' });
  await root.addChannel({ type: 14, models: 'claude', base_url: address });
  await root.addChannel({ type: 24, models: 'gem', base_url: address });
  key = (await root.addToken()).key;
});

afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.received.length = 0;
  searches = 3;
  isCut = false;
  billed = undefined;
});

async function ask(path: string, body: Json, own = key): Promise<{ status: number; text: string }> {
  const answer = await postJson(gateway.url + path, own, body);
  return { status: answer.status, text: await answer.text() };
}

const messages = [{ role: 'user', content: 'hi' }];
const webSearch = { type: 'web_search_20250305', name: 'web_search' };
const chat = (more: Json) => ask('/v1/chat/completions', { model: 'gpt', messages, web_search_options: {}, ...more });
const responses = (more: Json) => ask('/v1/responses', { model: 'gpt', input: 'hi', tools: [{ type: 'web_search' }], ...more });
const claude = (more: Json) => ask('/v1/messages', { model: 'claude', messages, max_tokens: 50, tools: [webSearch], ...more });
const google = ({ stream, ...more }: Json) =>
  ask(`/v1beta/models/gem:${stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, {
    contents: [{ parts: [{ text: 'hi' }] }],
    tools: [{ googleSearch: {} }],
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

const receiptOf = ({ id }: LogEntry) => root.call<Receipt>('GET', `/api/log/${id}/receipt`);

const dialects = [
  ['chat', chat, 'web_search'],
  ['responses', responses, 'web_search'],
  ['messages', claude, 'web_search'],
  ['gemini', google, 'google_search_query'],
] as const;

test.each(dialects.flatMap((each) => [false, true].map((stream) => [...each, stream] as const)))(
  '%s: the searches that the answer tells are charged beside its tokens (%#)',
  async (_name, call, tool, stream) => {
    const row = await chargedFor(call({ stream }));
    const cost = plain + 3 * search;
    expect(row.quota).toBe(cost);
    expect(JSON.parse(row.other)).toMatchObject({ tools: { [tool]: 3 }, tool_price: { [tool]: 10 } });
    expect(row.content).toContain(`工具 ${tool} 3 次（每千次 $10）`);
    expect(await receiptOf(row)).toMatchObject({
      tools: [{ tool, uses: 3, price: '10' }],
      ...{ exact: String(cost), cost, recomputed: cost, collected: cost, shortfall: 0, state: 'ok', usage_anomaly: false },
    });
    searches = 0;
    const unused = await chargedFor(call({ stream }));
    expect([unused.quota, await receiptOf(unused)]).toEqual([plain, expect.not.objectContaining({ tools: expect.anything() })]);
  },
);

test.each([
  [1, plain + search],
  [0, plain],
])('of three items of which %i is billed, as the answer tells, that is charged: %i', async (requests, cost) => {
  billed = requests;
  for (const stream of [false, true]) expect((await chargedFor(responses({ stream }))).quota).toBe(cost);
});

test('an upstream of another dialect that searches by itself is charged for, one that was told nothing is not', async () => {
  const crossing = { model: 'gpt', messages, max_tokens: 50 };
  for (const stream of [false, true])
    expect((await chargedFor(ask('/v1/messages', { ...crossing, stream }))).quota).toBe(plain + 3 * search);
  expect((await chargedFor(ask('/v1/chat/completions', { model: 'claude', messages, stream: true }))).quota).toBe(
    plain + 3 * search,
  );
  searches = 0;
  const dropped = await chargedFor(ask('/v1/messages', { ...crossing, tools: [webSearch] }));
  expect([dropped.quota, JSON.parse(dropped.other)]).toEqual([plain, expect.objectContaining({ losses: expect.anything() })]);
});

test('a stream that breaks off is charged for the searches that it had told of', async () => {
  isCut = true;
  expect((await responses({ stream: true })).text).toContain('web_search_call');
  const [row] = await root.logs();
  expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ cut: true, tools: { web_search: 3 } });
  expect(row?.quota).toBeGreaterThan(3 * search);
  expect(row?.quota).toBeLessThan(3 * search + plain);
});

test('what a channel asks for by its override is the operator’s to pay', async () => {
  expect((await chargedFor(responses({ model: 'set' }))).quota).toBe(plain);
});

test('a caller’s limit bounds what is charged, and more than that is marked', async () => {
  const row = await chargedFor(claude({ tools: [{ ...webSearch, max_uses: 2 }] }));
  expect([row.quota, await receiptOf(row)]).toEqual([plain + 2 * search, expect.objectContaining({ usage_anomaly: true })]);
});

test('what is held covers the searches, and what was not used comes back', async () => {
  const { key: poor, id } = await root.addToken({ name: 'poor', unlimited_quota: false, remain_quota: 26_000 });
  const six = { ...webSearch, max_uses: 6 };
  const refused = await ask('/v1/messages', { model: 'claude', messages, max_tokens: 50, tools: [six] }, poor);
  expect([refused.status, upstream.received.length]).toEqual([403, 0]);
  // Five searches are 25,000, and 5 tokens of the prompt at most, and 64 more, with 50 of the answer are not 1,000.
  const answer = await ask('/v1/messages', { model: 'claude', messages, max_tokens: 50, tools: [webSearch] }, poor);
  expect(answer.status).toBe(200);
  const token = await root.call<{ remain_quota: number; used_quota: number }>('GET', `/api/token/${id}`);
  const cost = plain + 3 * search;
  expect(token).toMatchObject({ remain_quota: 26_000 - cost, used_quota: cost });
});

test('the price list tells what uses cost, and a what-if what others would have brought', async () => {
  const list = (await (await fetch(`${gateway.url}/api/pricing`)).json()) as PricingExtras & { data: PricingItem[] };
  expect(list.tool_price).toEqual({ web_search: 10, google_search: 35 });
  const own = list.data.map(({ model_name, tool_price }) => [model_name, tool_price]);
  expect(own).toContainEqual(['gem', { google_search: 0, google_search_query: 10 }]);
  expect(own).toContainEqual(['gpt', undefined]);
  const preview = (value: Json) =>
    root.call<PricePreview>('POST', '/api/price/preview', {
      days: 1,
      changes: [{ key: 'ToolPrice', value: JSON.stringify(value) }],
    });
  const { now, next } = await preview({});
  const [rows] = [await root.logs()];
  const free = rows.length * plain;
  expect(now).toBeGreaterThan(next);
  expect(next).toBeLessThanOrEqual(free + plain);
  const same = await preview({ '*': { web_search: 10, google_search: 35 }, gem: { google_search: 0, google_search_query: 10 } });
  expect(same.next).toBe(same.now);
});

test('without a price a search costs its tokens alone, and is counted all the same', async () => {
  await root.setOption('ToolPrice', {});
  const row = await chargedFor(responses({}));
  expect([row.quota, JSON.parse(row.other)]).toEqual([
    plain,
    expect.objectContaining({ tools: { web_search: 3 }, tool_price: {} }),
  ]);
});
