import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';

const model = 'gpt-4o-mini';
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;

beforeAll(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway();
  root = await gateway.root();
  await root.addChannel({ base_url: upstream.url, models: model });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Answer {
  status: number;
  text: string;
  json: { error?: { code?: string; message?: string }; choices?: { message: { content: string } }[] };
}

async function ask(body: object, headers: Readonly<Record<string, string>> = root.headers): Promise<Answer> {
  const answer = await fetch(`${gateway.url}/pg/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {} };
}

const chat = { model, group: 'default', messages: [{ role: 'user', content: 'Hello' }], temperature: 0, max_tokens: 0 };

test('a signed-in person chats without a key: answered, charged to the person, logged under the playground', async () => {
  const before = await root.self();
  const answer = await ask({ ...chat, stream: false });
  expect([answer.status, answer.json.choices?.[0]?.message.content]).toEqual([200, 'Hello! How can I help you today?']);
  const sent = upstream.requests().at(-1);
  expect(sent?.json).toEqual({ model, messages: chat.messages, temperature: 0, stream: false });
  expect(JSON.stringify(sent?.headers)).not.toContain(root.headers.cookie?.split('=')[1]);
  const streamed = await ask({ ...chat, stream: true });
  expect(streamed.text).toMatch(/data: \[DONE\]\s*$/);
  const rows = await root.logs('type=2');
  expect(rows.slice(0, 2)).toMatchObject([
    { token_id: 0, token_name: 'playground-default', is_stream: true },
    { token_id: 0, token_name: 'playground-default', is_stream: false },
  ]);
  const paid = rows.slice(0, 2).reduce((sum, { quota }) => sum + quota, 0);
  expect(paid).toBeGreaterThan(0);
  expect((await root.self()).quota).toBe(before.quota - paid);
  expect(await root.call<{ ok: boolean }>('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
});

test("refuses in the reader's language, as the rest of the console does", async () => {
  const english = { ...root.headers, 'accept-language': 'en' };
  const messages = [];
  for (const headers of [root.headers, english])
    messages.push((await ask({ ...chat, model: 'none' }, headers)).json.error?.message);
  expect(messages).toEqual([
    expect.stringMatching(/^当前分组 default 下对于模型 none 无可用渠道 \(request id: /),
    expect.stringMatching(/^No channel for the model none in the group default \(request id: /),
  ]);
});

test('no page of another origin may ask, or read what a session was answered (R-24)', async () => {
  const corsOf = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  const at = (path: string, init: RequestInit) => fetch(`${gateway.url}${path}`, init);
  const asking = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  expect(corsOf(await at('/v1/chat/completions', { method: 'OPTIONS', headers: asking }))).not.toEqual([]);
  for (const headers of [root.headers, {}]) {
    const body = JSON.stringify({ ...chat, stream: false });
    const type = { 'content-type': 'application/json' };
    const answer = await at('/pg/chat/completions', { method: 'POST', headers: { ...type, ...headers }, body });
    expect([answer.status === 200, corsOf(answer)]).toEqual([headers === root.headers, []]);
  }
  expect(corsOf(await at('/pg/chat/completions', { method: 'OPTIONS', headers: asking }))).toEqual([]);
});

test.each([
  ['no model', { ...chat, model: '' }, 400, 'model_required', '请选择模型'],
  ['a group that is not theirs', { ...chat, group: 'svip-of-others' }, 403, 'group_not_allowed', '无权访问该分组'],
  [
    'a model of no channel',
    { ...chat, model: 'nowhere' },
    500,
    'get_playground_channel_failed',
    '当前分组 default 下对于模型 nowhere 无可用渠道',
  ],
])('%s is refused in its own words', async (_, body, status, code, message) => {
  const { status: got, json } = await ask(body);
  expect([got, json.error?.code]).toEqual([status, code]);
  expect(json.error?.message).toContain(message);
});

test('nothing but the own session opens it', async () => {
  const seen = upstream.requests().length;
  const { key } = await root.addToken({ name: 'sdk' });
  const accessToken = await root.call<string>('GET', '/api/user/token');
  const id = String(root.userId);
  const { cookie = '' } = root.headers;
  const refused = [
    await ask(chat, {}),
    await ask(chat, { authorization: `Bearer ${key}` }),
    await ask(chat, { authorization: accessToken, 'new-api-user': id }),
    await ask(chat, { cookie }),
    await ask(chat, { cookie, 'new-api-user': '99' }),
    await ask(chat, { ...root.headers, 'sec-fetch-site': 'cross-site' }),
    await ask(chat, { ...root.headers, origin: 'https://elsewhere.test' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([401, 400, 400, 401, 401, 403, 403]);
  expect(refused[2]?.json.error).toMatchObject({ code: 'access_token_not_supported' });
  expect(upstream.requests().length).toBe(seen);
});
