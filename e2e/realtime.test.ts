import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Receipt } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { booksAgree } from './support/books-agree.ts';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type RealtimeMock, startRealtimeMock, usageOf } from './support/mock/realtime.ts';
import { addServing } from './support/routing.ts';
import { type TalkOptions, talkTo } from './support/talk.ts';
import { eventually } from './support/wait.ts';

const model = 'talking-model';
const alias = 'alias-model';
onEachEngine((_engine, _open, kit) => {
  let upstream: RealtimeMock;
  let gateway: Gateway;
  let root: Console;
  let key: string;

  beforeAll(async () => {
    upstream = await startRealtimeMock();
    gateway = await gatewayOn(kit);
    root = await gateway.root();
    await root.setOption('ModelRatio', { [model]: 1, [alias]: 1, 'deployed.model': 1 });
    await root.setOption('CompletionRatio', { [model]: 4 });
    await root.setOption('AudioRatio', { [model]: 10 });
    await root.setOption('AudioCompletionRatio', { [model]: 2 });
    await addServing(root, { base_url: upstream.url, models: model });
    key = (await root.addToken({ name: 'talker' })).key;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const talk = (options: Partial<TalkOptions> = {}) => talkTo({ url: gateway.url, key, model, ...options });
  const rows = async () => (await root.logs()).filter(({ model_name }) => model_name === model);
  const balance = async () => (await root.self()).quota;

  const raw = (query: string, protocols: string[] = [], headers: Record<string, string> = {}) =>
    new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime${query}`, protocols, { headers });

  describe('a session', () => {
    test('passes both ways; each turn is a charge and a log row of its own', async () => {
      const before = await balance();
      const known = (await rows()).length;
      const { client, next, turn } = talk();
      expect(await next('session.created')).toMatchObject({ session: { id: 'sess_1' } });
      client.send({ type: 'session.update', session: { type: 'realtime', model, instructions: 'Be brief.' } });
      expect(await next('session.updated')).toMatchObject({ session: { model, instructions: 'Be brief.' } });
      upstream.script([{ words: ['Hi'], usage: usageOf(10, 2) }, { usage: usageOf(20, 3, { heard: 100, spoken: 50 }) }]);
      expect(await turn()).toMatchObject({ response: { usage: { input_tokens: 10 } } });
      expect(await turn()).toMatchObject({ response: { usage: { input_tokens: 120 } } });
      client.close();
      // Text: 10 + 2 x 4. Sound: 20 + 3 x 4 + 100 x 10 + 50 x 10 x 2 (contract 7.5).
      const [second, first, ...more] = await rows();
      expect(more.length).toBe(known);
      expect([first?.quota, second?.quota]).toEqual([18, 2032]);
      expect(first).toMatchObject({ prompt_tokens: 10, completion_tokens: 2, is_stream: true });
      expect(second?.content).toBe('模型倍率 1.00，补全倍率 4.00，音频倍率 10.00，音频补全倍率 2.00，分组倍率 1.00');
      expect(JSON.parse(second?.other ?? '{}')).toMatchObject({ ws: true, audio_input: 100, audio_output: 50, text_input: 20 });
      await booksAgree(gateway, root);
      await eventually(async () => expect(before - (await balance())).toBe(2050));
    });

    test('is asked for with the channel’s credential, by the upstream’s name of the model', async () => {
      await addServing(root, {
        base_url: upstream.url,
        models: alias,
        model_mapping: JSON.stringify({ [alias]: 'real-model' }),
        key: 'k-alias',
      });
      const { client, next, turn } = talk({ model: alias });
      await next('session.created');
      const opening = upstream.openings.at(-1);
      expect(opening).toMatchObject({ url: '/v1/realtime?model=real-model', headers: { authorization: 'Bearer k-alias' } });
      expect(JSON.stringify(opening?.headers)).not.toContain(key.slice(3));
      client.send({ type: 'session.update', session: { type: 'realtime', model: alias } });
      await next('session.updated');
      expect(opening?.heard.at(-1)).toMatchObject({ session: { model: 'real-model' } });
      client.send({ type: 'session.update', session: { type: 'realtime', model: 'dear-model' } });
      expect(await next('error')).toMatchObject({ error: { code: 'session_model_fixed' } });
      await turn();
      expect(opening?.heard.filter(({ type }) => type === 'session.update').length).toBe(1);
      client.close();
      await booksAgree(gateway, root);
    });
  });

  test('a turn at a price per second is as long as its sound, else as the time it took, and its receipt can be recomputed', async () => {
    const timed = 'timed-model';
    await root.setOption('SecondPrice', { [timed]: 0.001 });
    await addServing(root, { base_url: upstream.url, models: timed });
    const begun = (await root.logs()).length;
    const { client, next, turn } = talk({ model: timed });
    await next('session.created');
    const audio = { input: { format: { type: 'audio/pcm', rate: 24_000 } }, output: { format: { type: 'audio/pcmu' } } } as const;
    client.send({ type: 'session.update', session: { type: 'realtime', audio } });
    await next('session.updated');
    // 2 s at 48,000 bytes, 0.75 s at 8,000.
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(96_000).toString('base64') });
    upstream.script([
      { soundBytes: 6_000, usage: usageOf(1, 0, { heard: 20, spoken: 15 }) },
      { words: ['Hi'], usage: usageOf(5, 2) },
    ]);
    await turn();
    await turn();
    client.close();
    await booksAgree(gateway, root);
    const all = await root.logs();
    const [spoken, written] = all.slice(0, all.length - begun).reverse();
    const receiptOf = (id = 0) => root.call<Receipt>('GET', `/api/log/${id}/receipt`);
    expect(spoken).toMatchObject({ model_name: timed, quota: 2.75 * 500 });
    expect(await receiptOf(spoken?.id)).toMatchObject({
      ...{ state: 'ok', collected: 1_375, per_second: true },
      lines: [{ part: 'calls', amount: '2.75' }],
    });
    const receipt = await receiptOf(written?.id);
    expect(receipt).toMatchObject({ state: 'ok', collected: written?.quota, per_second: true });
    // At once, but no second.
    expect(Number(receipt.lines[0]?.amount)).toBeLessThan(60);
    expect(written?.quota).toBe(Math.max(1, Math.round(Number(receipt.lines[0]?.amount) * 500)));
  });

  describe('what was said, written down', () => {
    const completed = 'conversation.item.input_audio_transcription.completed';
    const written = (usage: unknown, item_id = 'item_1') => ({
      type: completed,
      item_id,
      content_index: 0,
      transcript: 'abcdefgh',
      usage,
    });

    test('is charged once, at the price of the model that did it, in tokens or by the length of the sound', async () => {
      await root.setOption('ModelRatio', { [model]: 1, [alias]: 1, 'deployed.model': 1, 'writing-model': 2 });
      await root.setOption('CompletionRatio', { [model]: 4, 'writing-model': 3 });
      const tokens = { type: 'tokens', total_tokens: 17, input_tokens: 13, output_tokens: 4 };
      const seconds = { type: 'duration', seconds: 30 };
      const begun = (await root.logs()).length;
      const { client, next, turn } = talk();
      await next('session.created');
      upstream.script([
        { more: [written(tokens), written(tokens)], usage: usageOf(1, 1) },
        { more: [written(seconds, 'item_2'), written(null, 'item_3')], usage: usageOf(1, 1) },
      ]);
      client.send({
        type: 'session.update',
        session: { type: 'realtime', audio: { input: { transcription: { model: 'writing-model' } } } },
      });
      await next('session.updated');
      await turn();
      await turn();
      client.close();
      await booksAgree(gateway, root);
      const all = await root.logs();
      const fresh = all.slice(0, all.length - begun).reverse();
      expect(fresh.map(({ model_name, quota }) => [model_name, quota])).toEqual([
        ['writing-model', (13 + 4 * 3) * 2],
        [model, 1 + 4],
        ['writing-model', 500 * 2],
        ['writing-model', 2 * 3 * 2],
        [model, 1 + 4],
      ]);
      expect(fresh.map(({ other }) => JSON.parse(other).usage_source)).toEqual([
        'upstream',
        'upstream',
        'upstream',
        'estimated',
        'upstream',
      ]);
    });

    test('at a price per second is charged by the seconds that were told, else heard, within what can have been heard', async () => {
      await root.setOption('SecondPrice', { 'timing-model': 0.001 });
      const begun = (await root.logs()).length;
      const { client, next } = talk();
      await next('session.created');
      client.send({
        type: 'session.update',
        session: { type: 'transcription', audio: { input: { transcription: { model: 'timing-model' } } } },
      });
      await next('session.updated');
      const opening = upstream.openings.at(-1);
      // Sound of 24 kHz in 16 bits: 48,000 bytes a second.
      const hear = async (seconds: number) => {
        const known = opening?.heard.length ?? 0;
        client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(seconds * 48_000).toString('base64') });
        await eventually(() => expect(opening?.heard.length).toBe(known + 1));
      };
      const write = async (usage: unknown, item: string) => {
        opening?.socket.send(JSON.stringify(written(usage, item)));
        await next(completed);
      };
      await hear(2);
      await write({ type: 'duration', seconds: 1.5 }, 'told');
      await hear(1);
      await hear(2);
      await write({ type: 'tokens', input_tokens: 13, output_tokens: 4, total_tokens: 17 }, 'tokens');
      await hear(1);
      await write(null, 'silent');
      await write({ type: 'duration', seconds: 86_400 }, 'absurd');
      client.close();
      await booksAgree(gateway, root);
      const all = await root.logs();
      const fresh = all.slice(0, all.length - begun).reverse();
      // 500 units a second; 6 s of sound may have been 288,000 / 250 s, and a minute.
      expect(fresh.map(({ model_name, quota }) => [model_name, quota])).toEqual(
        [1.5, 3, 1, 1_212].map((seconds) => ['timing-model', seconds * 500]),
      );
      expect(fresh.map(({ other }) => JSON.parse(other)).map((other) => [other.usage_source, other.usage_anomaly])).toEqual([
        ['upstream', undefined],
        ['estimated', undefined],
        ['estimated', undefined],
        ['upstream', true],
      ]);
    });

    test('of 100,000,000 tokens is charged as what a turn can have been', async () => {
      const { client, next } = talk();
      await next('session.created');
      upstream.openings.at(-1)?.socket.send(JSON.stringify(written({ input_tokens: 1e8, output_tokens: 1 }, 'vast')));
      await next(completed);
      client.close();
      await booksAgree(gateway, root);
      const [row] = await root.logs();
      expect(row).toMatchObject({ model_name: model, quota: 5_000_000 + 4 });
      expect(JSON.parse(row?.other ?? '')).toMatchObject({ usage_anomaly: true });
    });

    test('without a price of its own is charged at the price of the session, also where nobody answers', async () => {
      const { client, next } = talk();
      await next('session.created');
      client.send({
        type: 'session.update',
        session: { type: 'transcription', audio: { input: { transcription: { model: 'unpriced-model' } } } },
      });
      await next('session.updated');
      upstream.openings.at(-1)?.socket.send(JSON.stringify(written({ input_tokens: 7, output_tokens: 2 })));
      await next(completed);
      client.close();
      await booksAgree(gateway, root);
      expect((await root.logs())[0]).toMatchObject({ model_name: model, quota: 7 + 2 * 4 });
    });
  });

  describe('an opening', () => {
    test('is answered with the id of the session and with what is left of the limits', async () => {
      const limited = (await root.addToken({ name: 'limited', rpm: 7 })).key;
      const { client, opened, next } = talk({ key: limited });
      const headers = await opened;
      expect(headers).toMatchObject({ 'x-ratelimit-limit-requests': '7', 'x-ratelimit-remaining-requests': '6' });
      const id = String(headers['x-oneapi-request-id']);
      await next('session.created');
      upstream.script([{ usage: usageOf(3, 1) }]);
      client.send({ type: 'response.create' });
      await next('response.done');
      client.close();
      await booksAgree(gateway, root);
      expect((await root.logs())[0]).toMatchObject({ request_id: `${id}_1` });
    });

    /** The protocol that was chosen, or the status of the refusal. */
    const outcome = (socket: WebSocket) =>
      new Promise<string | number | undefined>((resolve) => {
        socket.on('open', () => resolve(socket.protocol));
        socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
        socket.on('error', () => undefined);
      });

    test('of a browser brings its key as a sub-protocol, which is never repeated', async () => {
      const socket = raw(`?model=${model}`, ['realtime', `openai-insecure-api-key.${key}`, 'openai-beta.realtime-v1']);
      expect(await outcome(socket)).toBe('realtime');
      await once(socket, 'message');
      expect(upstream.openings.at(-1)?.headers).toMatchObject({ 'openai-beta': 'realtime=v1' });
      expect(upstream.openings.at(-1)?.headers).not.toHaveProperty('sec-websocket-protocol');
      socket.close();
    });

    test('may be followed by messages before the upstream is there: they reach it in order', async () => {
      const socket = raw(`?model=${model}`, [], { authorization: `Bearer ${key}` });
      await once(socket, 'open');
      for (let count = 0; count < 50; count += 1) socket.send(JSON.stringify({ type: 'early', count }));
      await eventually(() => expect(upstream.openings.at(-1)?.heard.map(({ count }) => count)).toEqual([...Array(50).keys()]));
      socket.close();
    });

    test.each([
      ['without a key', `?model=${model}`, {}, 401],
      ['with a wrong key', `?model=${model}`, { authorization: 'Bearer sk-wrong' }, 401],
      ['without a model', '', undefined, 400],
      ['with an odd model', '?model=a%20b', undefined, 400],
    ])('%s is refused in HTTP', async (_, query, headers, status) => {
      expect(await outcome(raw(query, [], headers ?? { authorization: `Bearer ${key}` }))).toBe(status);
    });

    test('beyond what a token may have open is refused in HTTP until one of them ends', async () => {
      const own = (await root.addToken({ name: 'crowd' })).key;
      const open = () => raw(`?model=${model}`, [], { authorization: `Bearer ${own}` });
      const sockets = Array.from({ length: 5 }, open);
      await Promise.all(sockets.map((socket) => once(socket, 'open')));
      expect(await outcome(open())).toBe(429);
      sockets[0]?.close();
      await eventually(async () => {
        const next = open();
        sockets.push(next);
        expect(await outcome(next)).not.toBe(429);
      });
      for (const socket of sockets) socket.close();
    });

    test('by a call without a WebSocket is told what is missing', async () => {
      const answer = await fetch(`${gateway.url}/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${key}` } });
      expect([answer.status, await answer.json()]).toMatchObject([426, { error: { code: 'websocket_required' } }]);
    });

    test('of a model that nobody serves is told in the conversation', async () => {
      const { next, closed } = talk({ model: 'nobody-has-it' });
      expect(await next('error')).toMatchObject({ error: { message: expect.stringContaining('nobody-has-it') } });
      expect((await closed()).code).toBe(1013);
    });

    test('offers of another protocol on any route are not taken, the request is answered as it is', async () => {
      const headers = {
        authorization: `Bearer ${key}`,
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AA',
      };
      const { hostname, port } = new URL(gateway.url);
      for (const path of ['/v1/models', '/api/status']) {
        const asking = request({ hostname, port, path, headers });
        asking.end();
        const [answer] = (await once(asking, 'response')) as [IncomingMessage];
        expect(answer.statusCode).toBe(200);
        answer.resume();
      }
      const elsewhere = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/models`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(await outcome(elsewhere)).toBe(200);
    });

    test('of a deployment goes to its address with its own header', async () => {
      const deployed = 'deployed.model';
      await addServing(root, {
        type: 3,
        base_url: upstream.url,
        models: deployed,
        key: 'k-deployed',
        other: '2025-04-01-preview',
      });
      const { next, client } = talk({ model: deployed });
      await next('session.created');
      expect(upstream.openings.at(-1)).toMatchObject({
        url: '/openai/realtime?deployment=deployed.model&api-version=2025-04-01-preview',
        headers: { 'api-key': 'k-deployed' },
      });
      client.close();
      await booksAgree(gateway, root);
    });
  });
});
