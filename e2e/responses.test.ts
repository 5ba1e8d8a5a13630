import { once } from 'node:events';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, signIn } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type Dialect, eventBytes, jsonAnswer } from './support/mock/dialect.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { talkTo } from './support/responses-socket.ts';
import { addServing } from './support/routing.ts';

const model = 'gpt-4o-mini';
const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };

/** An upstream that keeps its answers and knows only its own; they become shorter there, too. */
function keeper(name: string): readonly (readonly [string, Dialect])[] {
  const kept = new Set<string>();
  const answer: Dialect = ({ json, path }, script) => {
    const { previous_response_id: before } = json;
    if (typeof before === 'string' && !kept.has(before))
      return jsonAnswer(400, { error: { message: `not mine: ${before}`, code: 'previous_response_not_found', type: 'x' } });
    if (path.endsWith('/compact')) {
      const output = [{ type: 'compaction', id: `cmp_${name}`, encrypted_content: 'short' }];
      return jsonAnswer(200, { id: 'resp_short', object: 'response.compaction', created_at: 1, output, usage });
    }
    const id = `resp_${name}_${kept.size}`;
    kept.add(id);
    const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] }];
    const response = { id, object: 'response', created_at: 1, status: 'completed', model, output, usage };
    if (json.stream !== true) return jsonAnswer(200, response);
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
      { type: 'response.completed', response },
    ];
    const pieces = events.map((event) => eventBytes(script, JSON.stringify(event)));
    return { status: 200, contentType: 'text/event-stream', pieces, paced: true };
  };
  return [
    ['POST /responses', answer],
    ['POST /responses/compact', answer],
  ];
}

let upstreams: readonly MockUpstream[];
let chatOnly: MockUpstream;
let gateway: Gateway;
let root: Console;
let client: OpenAI;

beforeAll(async () => {
  const names = ['one', 'two', 'three', 'four'];
  upstreams = await Promise.all(names.map((name) => startMockUpstream({ dialects: keeper(name) })));
  chatOnly = await startMockUpstream();
  gateway = await startGateway();
  root = await gateway.root();
  for (const { url } of upstreams) await addServing(root, { base_url: url, models: model });
  // Every call is drawn anew: what stays together does so because of the id alone.
  await root.setOption('ChannelAffinityEnabled', false);
  client = await clientFor('first');
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([...upstreams, chatOnly].map((upstream) => upstream.close()));
});

async function clientFor(name: string, owner = root): Promise<OpenAI> {
  const { key } = await owner.addToken({ name });
  return new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

const ask = (previous_response_id?: string) => client.responses.create({ model, input: 'hi', previous_response_id });
const askStreamed = async (previous_response_id?: string) => {
  let id = '';
  const stream = await client.responses.create({ model, input: 'hi', previous_response_id, stream: true });
  for await (const event of stream) if (event.type === 'response.completed') id = event.response.id;
  return id;
};
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ status, code }: { status: number; code: string }) => `${status} ${code}`,
  );

describe('a conversation that an upstream keeps', () => {
  test('goes on where it began, whole or streamed, however the draw falls', async () => {
    for (let conversation = 0; conversation < 6; conversation += 1) {
      let id = (await ask()).id;
      const keeperOf = (given: string) => given.split('_')[1];
      const first = keeperOf(id);
      for (let turn = 0; turn < 4; turn += 1) {
        id = turn % 2 === 0 ? await askStreamed(id) : (await ask(id)).id;
        expect(keeperOf(id)).toBe(first);
      }
    }
  });

  test('goes on over a socket by its id alone, and by all that was said where it is not kept', async () => {
    const { turn } = talkTo(gateway, client.apiKey ?? '');
    const first = (await turn({ model, input: 'one' })).response;
    const second = (await turn({ model, input: 'two', previous_response_id: first.id })).response;
    expect(second.id.split('_')[1]).toBe(first.id.split('_')[1]);
    expect(upstreams.flatMap((upstream) => upstream.requests()).map(({ json }) => json)).toContainEqual(
      expect.objectContaining({ input: 'two', previous_response_id: first.id }),
    );
    const third = (await turn({ model, input: 'three', previous_response_id: second.id, store: false })).response;
    await turn({ model, input: 'four', previous_response_id: third.id });
    const asked = upstreams
      .flatMap((upstream) => upstream.requests())
      .find(({ json }) => JSON.stringify(json.input).includes('four'));
    expect(asked?.json).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(asked?.json.input)).toMatch(/one.*two.*three.*four/);
  });

  test('goes on after a restart of the gateway', async () => {
    const ids = await Promise.all([ask(), ask(), ask(), ask()]);
    const { env } = gateway;
    gateway.process.kill('SIGTERM');
    await once(gateway.process, 'exit');
    gateway = await startGateway({ ...env });
    root = await gateway.root();
    client = await clientFor('again');
    for (const { id } of ids) expect((await ask(id)).id.split('_')[1]).toBe(id.split('_')[1]);
  });

  test('an id that nobody knows goes the ordinary way, and the upstream says what it thinks of it', async () => {
    expect(await refusal(ask('resp_unknown'))).toBe('400 previous_response_not_found');
    expect(
      upstreams.some((upstream) => upstream.requests().some(({ json }) => json.previous_response_id === 'resp_unknown')),
    ).toBe(true);
  });

  test('of another user is refused without asking anybody', async () => {
    const { id } = await ask();
    await root.call('POST', '/api/user/', { username: 'other', password: 'other-password' });
    const foreign = await clientFor('foreign', await signIn(gateway.url, 'other', 'other-password'));
    const asked = upstreams.flatMap((upstream) => upstream.requests()).length;
    expect(await refusal(foreign.responses.create({ model, input: 'hi', previous_response_id: id }))).toBe(
      '400 previous_response_not_found',
    );
    expect(upstreams.flatMap((upstream) => upstream.requests()).length).toBe(asked);
  });

  test('becomes shorter where it is kept, for its owner alone, and is charged like an answer', async () => {
    for (let conversation = 0; conversation < 6; conversation += 1) {
      const { id } = await ask();
      const short = await client.responses.compact({ model, previous_response_id: id });
      expect(short.output).toMatchObject([{ type: 'compaction', id: `cmp_${id.split('_')[1]}` }]);
    }
    const [row] = await root.logs();
    expect(row).toMatchObject({ prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens, is_stream: false });
    const { id } = await ask();
    await root.call('POST', '/api/user/', { username: 'curious', password: 'curious-password' });
    const foreign = await clientFor('curious', await signIn(gateway.url, 'curious', 'curious-password'));
    const asked = upstreams.flatMap((upstream) => upstream.requests()).length;
    expect(await refusal(foreign.responses.compact({ model, previous_response_id: id }))).toBe('400 previous_response_not_found');
    expect(upstreams.flatMap((upstream) => upstream.requests()).length).toBe(asked);
  });

  test('becomes shorter for who can pay for that: an answer is given a cap by what is left, and this has none', async () => {
    await root.call('POST', '/api/user/', { username: 'poor', password: 'poor-password' });
    const poor = await signIn(gateway.url, 'poor', 'poor-password');
    const theirs = await clientFor('poor', poor);
    await root.call('PUT', '/api/user/', { id: poor.userId, quota: 200 });
    const asked = upstreams.flatMap((upstream) => upstream.requests()).length;
    expect(await refusal(theirs.responses.compact({ model, input: 'hi' }))).toBe('403 insufficient_user_quota');
    expect(upstreams.flatMap((upstream) => upstream.requests()).length).toBe(asked);
    expect(await refusal(theirs.responses.create({ model, input: 'hi' }))).toBe('answered');
    await root.call('PUT', '/api/user/', { id: poor.userId, quota: 20_000 });
    expect(await refusal(theirs.responses.compact({ model, input: 'hi' }))).toBe('answered');
  });

  test('whose channel is gone is refused with the advice to send it whole', async () => {
    const { id } = await ask();
    const index = ['one', 'two', 'three', 'four'].indexOf(id.split('_')[1] ?? '');
    const channels = await root.call<{ id: number; base_url: string }[]>('GET', '/api/channel/?p=0&page_size=100');
    const channel = channels.find(({ base_url }) => base_url === upstreams[index]?.url);
    await root.call('DELETE', `/api/channel/${channel?.id}`);
    await expect.poll(() => refusal(ask(id))).toBe('400 previous_response_not_found');
  });

  test('is refused in words where the upstream keeps none: nothing is forgotten silently', async () => {
    const other = 'chat-only-model';
    await addServing(root, { type: 8, base_url: `${chatOnly.url}/v1/chat/completions`, models: other });
    await root.setOption('ModelRatio', { [model]: 0.075, [other]: 1 });
    const request = { model: other, input: 'hi' };
    await expect.poll(() => refusal(client.responses.create(request))).toBe('answered');
    const before = chatOnly.requests().length;
    expect(await refusal(client.responses.create({ ...request, previous_response_id: 'resp_x' }))).toBe('400 state_not_kept');
    expect(await refusal(client.responses.create({ ...request, conversation: 'conv_x' }))).toBe('400 state_not_kept');
    const said = { type: 'item_reference', id: 'msg_x' } as const;
    const next = { role: 'user', content: 'and?' } as const;
    expect(await refusal(client.responses.create({ ...request, input: [said, next] }))).toBe('400 state_not_kept');
    const thought = { type: 'item_reference', id: 'rs_x' } as const;
    expect(chatOnly.requests().length).toBe(before);
    expect(await refusal(client.responses.create({ ...request, input: [next, thought] }))).toBe('answered');
  });
});
