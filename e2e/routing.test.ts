import type { ChannelHealth, ChannelTimelineEntry, PageOf } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockScript, type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { addServing, ask, explain, routeOf } from './support/routing.ts';
import { eventually } from './support/wait.ts';

const planted = 'planted-upstream-key-0123456789';
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;
/** Everything that the tests were sent: searched for planted keys at the end. */
const received: string[] = [];

beforeAll(async () => {
  upstream = await startMockUpstream();
  await startAfresh();
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await stopGateway();
  await upstream.close();
  expect(received.filter((text) => text.includes(planted))).toEqual([]);
});

/** A gateway of its own, with a whole budget of retries. */
async function startAfresh(): Promise<void> {
  gateway = await startGateway();
  root = listening(await gateway.root());
  key = (await root.addToken()).key;
}

async function stopGateway(): Promise<void> {
  received.push(gateway.output());
  await gateway.stop();
}

function listening(console: Console): Console {
  const call: Console['call'] = async <T>(method: string, path: string, body?: unknown) => {
    const data = await console.call<T>(method, path, body);
    received.push(JSON.stringify(data) ?? '');
    return data;
  };
  const logs: Console['logs'] = async (query) => {
    const rows = await console.logs(query);
    received.push(JSON.stringify(rows));
    return rows;
  };
  return { ...console, call, logs };
}

async function call(model: string, words?: string, stream = false) {
  const answer = await ask(gateway, { model, key, words, stream });
  received.push(answer.text);
  return answer;
}

let models = 0;
/** A model of its own at a price per call, so that tests do not meet. */
async function freshModel(): Promise<string> {
  models += 1;
  const model = `routing-${models}`;
  const prices = Object.fromEntries(Array.from({ length: models }, (_, index) => [`routing-${index + 1}`, 0.002]));
  await root.setOption('ModelPrice', prices);
  return model;
}

const addChannel = (models_: string, more: Record<string, unknown> = {}) =>
  addServing(root, { base_url: upstream.url, key: `${planted}-${models}`, models: models_, ...more });

/** Answers by the credential that came. */
function byKey(scripts: Record<string, MockScript>): void {
  upstream.script(({ headers }) => {
    const found = Object.entries(scripts).find(([name]) => headers.authorization?.endsWith(name));
    return found?.[1];
  });
}
const keysSeen = () => upstream.requests().map(({ headers }) => headers.authorization?.replace(/^.*-/, '') ?? '');
const timeline = async (id: number) =>
  (await root.call<PageOf<ChannelTimelineEntry>>('GET', `/api/channel/${id}/timeline`)).items;

describe('explain', () => {
  test('with the seed of a real call, the plan is the order in which it was tried', async () => {
    for (let round = 0; round < 4; round++) {
      const model = await freshModel();
      for (let i = 0; i < 5; i++) await addChannel(model, { weight: i * 10, priority: i % 2, key: `${planted}-k${i}` });
      await eventually(async () => expect((await explain(root, { model })).candidates).toHaveLength(5));
      upstream.script([{ status: 500 }, { status: 502 }]);
      const answer = await call(model, `conversation ${round}`);
      const record = await routeOf(root, answer.requestId);
      const tried = record.attempts.map(({ channel_id }) => channel_id);
      expect(tried).toHaveLength(3);
      expect(record.plan.map(({ channel_id }) => channel_id)).toEqual(tried);
      expect(record.attempts.map(({ status }) => status)).toEqual([500, 502, 200]);
      expect(record.strayed).toEqual({ channel_id: tried[0], reason: record.attempts[0]?.error });
      expect(record.attempts[2]).toMatchObject({ error: '', upstream_request_id: expect.stringMatching(/^req_mock_/) });
      // One failure each opens nothing: the plan of now is the plan of then.
      const now = await explain(root, { model, seed: record.seed });
      expect(now.plan.map(({ channel_id }) => channel_id)).toEqual(tried);
    }
  });

  test('every channel that lists the model has its reason, and "what if" leaves out what it is told to', async () => {
    const model = await freshModel();
    const first = await addChannel(model, { priority: 5 });
    const second = await addChannel(model);
    const off = await addChannel(model, { priority: 9 });
    await root.call('PUT', '/api/channel/', { id: off.id, status: 2 });
    await eventually(async () => {
      const { plan } = await explain(root, { model });
      expect(plan.map(({ channel_id }) => channel_id)).toEqual([first.id, second.id]);
    });
    const plain = await explain(root, { group: 'default', model });
    expect(plain.candidates.find(({ channel_id }) => channel_id === off.id)).toMatchObject({ in: false, reason: 'disabled' });
    for (const { score } of plain.candidates) expect(score.score).toBeCloseTo(-Math.log(score.draw) / score.weight, 10);
    const without = await explain(root, { group: 'default', model, exclude: [first.id] });
    expect(without.plan.map(({ channel_id }) => channel_id)).toEqual([second.id]);
    expect(without.candidates.find(({ channel_id }) => channel_id === first.id)).toMatchObject({ in: false, reason: 'excluded' });
  });

  test('owners of a log row do not see its route', async () => {
    const model = await freshModel();
    await addChannel(model);
    await call(model);
    const { items } = await root.call<PageOf<{ other: string }>>('GET', '/api/log/self?p=1&page_size=5');
    expect(items[0]?.other).not.toContain('route');
  });
});

describe('several keys in one channel', () => {
  test('random or in turns; a key that is refused is passed over within the same call, and alone afterwards', async () => {
    const model = await freshModel();
    const setting = JSON.stringify({ multi_key: 'polling' });
    const keys = ['one', 'two', 'three'].map((name) => `${planted}-${name}`).join('\n');
    const channel = await addChannel(model, { key: keys, setting });
    expect(channel.key_hint).toBe('…-one +2');
    for (let i = 0; i < 6; i++) await call(model, `conversation ${i}`);
    expect(keysSeen()).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
    upstream.reset();
    byKey({ two: { status: 429, retryAfter: '60' } });
    for (let i = 0; i < 6; i++) expect((await call(model, `again ${i}`)).status).toBe(200);
    expect(keysSeen().filter((name) => name === 'two')).toHaveLength(1);
    const { breakers } = await root.call<ChannelHealth>('GET', `/api/channel/${channel.id}/health`);
    expect(breakers).toMatchObject([{ key_index: 1, phase: 'open', last_class: 'rate' }]);
  });

  test('a dead key is switched off alone; the channel follows when the last one is dead; by hand all come back', async () => {
    const model = await freshModel();
    await root.setOption('AutomaticDisableChannelEnabled', true);
    const keys = ['left', 'right'].map((name) => `${planted}-${name}`).join('\n');
    const channel = await addChannel(model, { key: keys, setting: JSON.stringify({ multi_key: 'random' }) });
    const health = () => root.call<ChannelHealth>('GET', `/api/channel/${channel.id}/health`);
    byKey({ left: { status: 401 } });
    for (let i = 0; i < 8; i++) expect((await call(model, `conversation ${i}`)).status).toBe(200);
    await eventually(async () => expect((await health()).keys.map(({ enabled }) => enabled)).toEqual([false, true]));
    expect((await health()).keys.map(({ hint }) => hint)).toEqual(['…left', '…ight']);
    expect(keysSeen().filter((name) => name === 'left')).toHaveLength(1);
    byKey({ left: { status: 401 }, right: { status: 401 } });
    await call(model, 'one more');
    const status = async () => (await root.call<{ status: number }>('GET', `/api/channel/${channel.id}`)).status;
    await eventually(async () => expect(await status()).toBe(3));
    const kinds = (await timeline(channel.id)).map(({ kind }) => kind).filter((kind) => !kind.startsWith('breaker'));
    expect(kinds).toEqual(['auto_disabled', 'key_disabled']);
    upstream.reset();
    await root.call('PUT', '/api/channel/', { id: channel.id, status: 1 });
    await eventually(async () => expect((await call(model, 'back')).status).toBe(200));
    expect((await health()).keys.map(({ enabled }) => enabled)).toEqual([true, true]);
    await root.setOption('AutomaticDisableChannelEnabled', false);
  });
});

describe('automatic switches', () => {
  test('a dead key switches its channel off once, with reason, time and evidence; what a person switched off stays off', async () => {
    const model = await freshModel();
    await root.setOption('AutomaticDisableChannelEnabled', true);
    const channel = await addChannel(model, { priority: 9, key: `${planted}-dead` });
    await addChannel(model, { key: `${planted}-alive` });
    byKey({ dead: { status: 401, body: { error: { message: `bad key ${planted}-dead`, type: 'x', code: 'invalid_api_key' } } } });
    const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => call(model, `conversation ${i}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const routes = await Promise.all(answers.map(({ requestId }) => routeOf(root, requestId)));
    expect(routes.flatMap(({ attempts }) => attempts).find(({ status }) => status === 401)?.error).toContain('bad key ***');
    const stored = () => root.call<{ status: number; other_info: string }>('GET', `/api/channel/${channel.id}`);
    await eventually(async () => expect((await stored()).status).toBe(3));
    expect(JSON.parse((await stored()).other_info)).toMatchObject({
      status_reason: 'bad key ***',
      status_time: expect.any(Number),
    });
    const events = (await timeline(channel.id)).filter(({ kind }) => kind === 'auto_disabled');
    expect(events).toHaveLength(1);
    expect(JSON.parse(events[0]?.evidence ?? '{}')).toMatchObject({ status: 401, code: 'invalid_api_key', class: 'auth' });
    await root.call('PUT', '/api/channel/', { id: channel.id, status: 2 });
    expect((await timeline(channel.id))[0]).toMatchObject({ kind: 'disabled', actor: 'root' });
    await root.setOption('AutomaticDisableChannelEnabled', false);
  });

  test('50 bad prompts of one user change nothing, whatever they quote', async () => {
    const model = await freshModel();
    await root.setOption('AutomaticDisableChannelEnabled', true);
    const channel = await addChannel(model);
    upstream.script(({ json }) => {
      const [message] = json.messages as { content: string }[];
      return { status: 400, body: { error: { message: `cannot read: ${message?.content}`, type: 'invalid_request_error' } } };
    });
    const phrases = ['You exceeded your current quota', 'permission denied', 'plain nonsense'];
    for (let i = 0; i < 50; i++) expect((await call(model, `${phrases[i % 3]} ${i}`)).status).toBe(400);
    expect(await root.call('GET', `/api/channel/${channel.id}`)).toMatchObject({ status: 1, other_info: '' });
    expect(await timeline(channel.id)).toEqual([]);
    expect((await root.call<ChannelHealth>('GET', `/api/channel/${channel.id}/health`)).breakers).toEqual([]);
    upstream.reset();
    expect((await call(model, 'a good one')).status).toBe(200);
    await root.setOption('AutomaticDisableChannelEnabled', false);
  });
});

describe('groups', () => {
  test('auto goes on to the next group, holds the dearest and charges the one that answered', async () => {
    const model = await freshModel();
    await root.setOption('GroupRatio', { default: 1, vip: 3, auto: 1 });
    await root.setOption('UserUsableGroups', { default: 'a', vip: 'b', auto: 'c' });
    await root.setOption('AutoGroups', ['default', 'vip']);
    const cheap = await addChannel(model, { group: 'default', key: `${planted}-cheap` });
    const dear = await addChannel(model, { group: 'vip', key: `${planted}-dear` });
    const auto = (await root.addToken({ group: 'auto' })).key;
    byKey({ cheap: { status: 500 } });
    const before = (await root.self()).quota;
    const answer = await ask(gateway, { model, key: auto });
    expect(answer.status).toBe(200);
    const row = (await root.logs()).find(({ request_id }) => request_id === answer.requestId);
    expect(row).toMatchObject({ group: 'vip', quota: 3_000, channel: dear.id });
    expect(before - (await root.self()).quota).toBe(3_000);
    const record = await routeOf(root, answer.requestId);
    expect(record.plan.map((step) => [step.channel_id, step.group])).toEqual([
      [cheap.id, 'default'],
      [dear.id, 'vip'],
    ]);
    upstream.reset();
    const second = await ask(gateway, { model, key: auto, words: 'another' });
    expect((await root.logs()).find(({ request_id }) => request_id === second.requestId)).toMatchObject({ quota: 1_000 });
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });

  test('who cannot pay for the dearest group is refused before any upstream hears of it', async () => {
    const model = await freshModel();
    await addChannel(model, { group: 'default' });
    await addChannel(model, { group: 'vip' });
    const token = await root.addToken({ group: 'auto', unlimited_quota: false, remain_quota: 2_000 });
    expect((await ask(gateway, { model, key: token.key })).status).toBe(403);
    expect(upstream.requests()).toHaveLength(0);
  });
});

describe('time-outs and hedges', () => {
  beforeAll(async () => {
    await stopGateway();
    await startAfresh();
  });

  test("a channel's own limit for the first byte wins", async () => {
    const model = await freshModel();
    await addChannel(model, { priority: 9, key: `${planted}-slow`, setting: JSON.stringify({ first_byte_timeout_ms: 300 }) });
    await addChannel(model, { key: `${planted}-fast` });
    byKey({ slow: { fault: 'hang' } });
    const answer = await call(model);
    expect(answer.status).toBe(200);
    expect(answer.ms).toBeLessThan(1_900);
  });

  test('a hedge starts beside a slow channel: the first head wins, the loser is cut off, one charge', async () => {
    const model = await freshModel();
    const slow = await addChannel(model, { priority: 9, key: `${planted}-slow`, setting: JSON.stringify({ hedge_ms: 100 }) });
    const fast = await addChannel(model, { key: `${planted}-fast` });
    byKey({ slow: { fault: 'hang' } });
    const before = (await root.self()).quota;
    for (const stream of [false, true]) {
      const answer = await call(model, `conversation ${stream}`, stream);
      expect(answer.status).toBe(200);
      expect(answer.ms).toBeLessThan(1_200);
      const record = await routeOf(root, answer.requestId);
      const tried = record.attempts.map(({ channel_id, error }) => [channel_id, error]);
      expect(tried).toEqual([
        [slow.id, 'hedge_lost'],
        [fast.id, ''],
      ]);
    }
    await upstream.waitFor(({ aborted }) => aborted);
    expect(before - (await root.self()).quota).toBe(2_000);
    upstream.reset();
    await root.call('PUT', '/api/channel/', { id: slow.id, setting: JSON.stringify({ hedge_ms: 60_000 }) });
    expect((await call(model, 'quick enough')).status).toBe(200);
    expect(upstream.requests()).toHaveLength(1);
  });

  test('a hedge that fails leaves the slow one its chance, and one that failed leaves the hedge its own', async () => {
    const model = await freshModel();
    await addChannel(model, { priority: 9, key: `${planted}-slow`, setting: JSON.stringify({ hedge_ms: 100 }) });
    await addChannel(model, { key: `${planted}-other` });
    byKey({ slow: { delayMs: 600 }, other: { status: 500 } });
    expect((await call(model, 'hedge fails')).status).toBe(200);
    byKey({ slow: { delayMs: 300, status: 500 }, other: { delayMs: 600 } });
    expect((await call(model, 'first fails')).status).toBe(200);
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });
});

describe('a stream', () => {
  test('that breaks off counts as a failure alone, although its answer had begun', async () => {
    const model = await freshModel();
    const channel = await addChannel(model);
    for (let i = 0; i < 5; i++) {
      upstream.script([{ chunks: 30, chunkDelayMs: 3, cutAtByte: 4_000, cut: 'fin' }]);
      expect((await call(model, `broken ${i}`, true)).text).toContain('stream_response_error');
      if (i < 4) expect((await call(model, `whole ${i}`, true)).text).toContain('[DONE]');
    }
    const { breakers } = await root.call<ChannelHealth>('GET', `/api/channel/${channel.id}/health`);
    expect(breakers).toMatchObject([{ phase: 'open', ok: 4, bad: 5, last_class: 'network' }]);
  });
});

describe('a probe', () => {
  test('of a channel that hangs does not make its caller wait for the time-out', async () => {
    const model = await freshModel();
    const setting = JSON.stringify({ first_byte_timeout_ms: 60_000 });
    const hanging = await addChannel(model, { priority: 9, key: `${planted}-hanging`, setting });
    await addChannel(model, { key: `${planted}-well` });
    byKey({ hanging: { fault: 'reset' } });
    for (let i = 0; i < 5; i++) expect((await call(model, `conversation ${i}`)).status).toBe(200);
    byKey({ hanging: { fault: 'hang' } });
    const health = () => root.call<ChannelHealth>('GET', `/api/channel/${hanging.id}/health`);
    await eventually(async () => expect((await health()).breakers[0]?.rest_ms).toBe(0));
    const [probing, beside] = await Promise.all([call(model, 'the probe'), call(model, 'beside it')]);
    expect([probing.status, beside.status]).toEqual([200, 200]);
    expect(Math.min(probing.ms, beside.ms)).toBeLessThan(2_000);
    expect(Math.max(probing.ms, beside.ms)).toBeLessThan(8_000);
    expect((await health()).breakers[0]?.rest_ms).toBeGreaterThan(1_000);
    expect(keysSeen().filter((name) => name === 'hanging')).toHaveLength(6);
  });
});

describe('changes', () => {
  test('a change in the console is in force for the next call; calls under way keep what they started with', async () => {
    const model = await freshModel();
    const first = await addChannel(model, { priority: 9, key: `${planted}-first` });
    await addChannel(model, { key: `${planted}-second` });
    const changed = Promise.withResolvers<void>();
    upstream.script(({ headers }) => (headers.authorization?.endsWith('first') ? { end: changed.promise } : undefined));
    const running = call(model, 'long', true);
    await upstream.waitFor(({ bytesSent }) => bytesSent > 0);
    await root.call('PUT', '/api/channel/', { id: first.id, status: 2 });
    const record = await routeOf(root, (await call(model, 'short')).requestId);
    expect(record.attempts[0]?.channel_id).not.toBe(first.id);
    changed.resolve();
    const answer = await running;
    expect([answer.status, answer.text.trimEnd().endsWith('data: [DONE]')]).toEqual([200, true]);
  });

  test('picks over many conversations follow weight + 10', async () => {
    const model = await freshModel();
    const light = await addChannel(model, { weight: 0, key: `${planted}-light` });
    await addChannel(model, { weight: 30, key: `${planted}-heavy` });
    const counts = { light: 0, heavy: 0 };
    // A fifth of them; so many that chance alone does not lead out of these bounds.
    for (let seed = 0; seed < 400; seed++) {
      const { plan } = await explain(root, { model });
      counts[plan[0]?.channel_id === light.id ? 'light' : 'heavy'] += 1;
    }
    expect(counts.light).toBeGreaterThan(40);
    expect(counts.light).toBeLessThan(140);
    await Promise.all(Array.from({ length: 20 }, () => call(model, 'the same conversation')));
    expect(new Set(keysSeen()).size).toBe(1);
  });
});

test('a type that is not spoken yet is passed over with its reason, and answered clearly when there is no other', async () => {
  const model = await freshModel();
  const silent = await addChannel(model, { type: 2, priority: 9, key: `${planted}-planned` });
  const planned = await call(model);
  expect([planned.status, planned.text]).toEqual([503, expect.stringContaining('invalid api type: 2')]);
  const speaking = await addChannel(model, { key: `${planted}-spoken` });
  const { attempts } = await routeOf(root, (await call(model)).requestId);
  expect(attempts.map(({ channel_id, status }) => [channel_id, status])).toEqual([
    [silent.id, 0],
    [speaking.id, 200],
  ]);
});
