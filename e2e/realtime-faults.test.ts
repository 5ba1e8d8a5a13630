import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { booksAgree } from './support/books-agree.ts';
import { type Console, signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { medianOf } from './support/median.ts';
import { type RealtimeMock, type RealtimeOpening, startRealtimeMock, usageOf } from './support/mock/realtime.ts';
import { addServing } from './support/routing.ts';
import { type TalkOptions, talkTo } from './support/talk.ts';
import { eventually } from './support/wait.ts';

const model = 'talking-model';
const [other, third] = ['other-model', 'third-model'];
const mostLeavingMs = 50;
/** For what is left behind by a kill alone: a busy machine may stand still for longer than such a lease can wait. */
const leases = { HOLD_LEASE_SECONDS: '3', HOLD_SWEEP_SECONDS: '1', HOLD_CHECKPOINT_SECONDS: '1' };
onEachEngine((_engine, _open, kit) => {
  let upstream: RealtimeMock;
  let gateway: Gateway;
  let root: Console;
  let key: string;

  beforeAll(async () => {
    upstream = await startRealtimeMock();
    gateway = await gatewayOn(kit);
    root = await gateway.root();
    await root.setOption('ModelRatio', { [model]: 1, [other]: 1, [third]: 1 });
    await root.setOption('CompletionRatio', { [model]: 4 });
    await root.setOption('AutomaticDisableChannelEnabled', false);
    await root.setOption('PreConsumedQuota', 500);
    await root.setOption('QuotaForNewUser', 1_200);
    await addServing(root, { base_url: upstream.url, models: model });
  });
  beforeEach(async () => {
    upstream.script([]);
    upstream.refuse(undefined);
    key = (await root.addToken({ name: 'talker' })).key;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const talk = (options: Partial<TalkOptions> = {}) => talkTo({ url: gateway.url, key, model, ...options });
  const rows = async () => (await root.logs()).filter(({ token_name }) => token_name !== '');
  const newest = async () => (await rows())[0];
  const opened = (): RealtimeOpening => {
    const opening = upstream.openings.at(-1);
    if (opening === undefined) throw new Error('no session reached the upstream');
    return opening;
  };

  /** A user with 1,200 of quota and a key of its own. */
  async function poor(username: string): Promise<{ key: string; self: Console }> {
    await root.raw('POST', '/api/user/register', { username, password: 'poor-password' });
    const self = await signIn(gateway.url, username, 'poor-password');
    return { key: (await self.addToken()).key, self };
  }

  describe('money', () => {
    test('a turn that cannot be paid ends the session: an error event, then 1013; what was produced is charged', async () => {
      const { key: own, self } = await poor('poor');
      upstream.script([{ usage: usageOf(700, 50) }]);
      const { client, next, turn, closed } = talk({ key: own });
      await next('session.created');
      await turn();
      expect(await next('error')).toMatchObject({
        error: { code: 'turn_quota_insufficient', message: expect.stringMatching(/^user quota is not enough, /) },
      });
      expect((await closed()).code).toBe(1013);
      expect((await self.self()).quota).toBe(300);
      await eventually(() => expect(opened().closedMs).toBeDefined());
      client.close();
      const again = talk({ key: own });
      expect(await again.next('error')).toMatchObject({ error: { code: 'turn_quota_insufficient' } });
      expect((await again.closed()).code).toBe(1013);
      await booksAgree(gateway, root);
    });

    test('an answer that outgrows what its caller owns is stopped, and paid as far as it was held for', async () => {
      const { key: own, self } = await poor('outgrown');
      upstream.script([{ words: Array.from({ length: 40 }, () => 'x'.repeat(400)), stop: 'hang' }]);
      const { client, next, closed } = talk({ key: own });
      await next('session.created');
      client.send({ type: 'response.create' });
      expect(await next('error')).toMatchObject({ error: { code: 'stream_quota_exhausted' } });
      expect((await closed()).code).toBe(1013);
      await booksAgree(gateway, root);
      expect((await self.self()).quota).toBe(0);
    });

    test('an answer without usage is charged by what went to and fro; one that failed before a word is free', async () => {
      const before = (await rows()).length;
      upstream.script([
        { words: ['x'.repeat(400)], usage: null },
        { words: [], usage: null },
        { words: [], usage: usageOf(0, 0) },
      ]);
      const { client, next, turn } = talk();
      await next('session.created');
      client.send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'y'.repeat(400) }] },
      });
      await turn();
      await turn();
      await turn();
      client.close();
      await booksAgree(gateway, root);
      expect((await rows()).length).toBe(before + 1);
      const row = await newest();
      expect(row?.completion_tokens).toBe(100);
      expect(row?.prompt_tokens).toBeGreaterThan(100);
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ usage_source: 'estimated', ws: true });
    });

    test('answers that run at the same time are charged one by one, a repeated end once', async () => {
      const before = (await rows()).length;
      const done = (id: string, tokens: number) => ({ type: 'response.done', response: { id, usage: usageOf(tokens, 1) } });
      const begun = (id: string) => ({ type: 'response.created', response: { id } });
      upstream.script([
        {
          more: [begun('resp_a'), begun('resp_b'), done('resp_b', 11), done('resp_a', 12), done('resp_a', 12)],
          usage: usageOf(13, 1),
        },
      ]);
      const { client, next, turn } = talk();
      await next('session.created');
      await turn();
      for (let count = 0; count < 3; count += 1) await next('response.done');
      client.close();
      await booksAgree(gateway, root);
      const fresh = (await rows()).slice(0, (await rows()).length - before);
      expect(fresh.map(({ prompt_tokens }) => prompt_tokens).sort()).toEqual([11, 12, 13]);
    });
  });

  describe('ends', () => {
    test('an upstream that closes with 1011 passes it on; the half answer is charged by what was said', async () => {
      upstream.script([{ words: ['x'.repeat(400)], stop: 1011, closeReason: 'overheated' }]);
      const { client, next, closed } = talk();
      await next('session.created');
      client.send({ type: 'response.create' });
      expect(await closed()).toEqual({ code: 1011, reason: 'overheated' });
      await booksAgree(gateway, root);
      const row = await newest();
      expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([expect.any(Number), 100]);
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ usage_source: 'estimated', cut: true });
    });

    test('an upstream that vanishes is told of; an answer of which nothing was said is free', async () => {
      const before = (await rows()).length;
      upstream.script([{ words: [], stop: 'cut' }]);
      const { client, next, closed } = talk();
      await next('session.created');
      client.send({ type: 'response.create' });
      expect(await next('error')).toMatchObject({ error: { code: 'stream_response_error' } });
      expect((await closed()).code).toBe(1011);
      await booksAgree(gateway, root);
      expect((await rows()).length).toBe(before);
    });

    test('a caller who vanishes takes the upstream along within 50 ms, and pays for what was said', async () => {
      const leave = async () => {
        upstream.script([{ words: ['x'.repeat(40)], stop: 'hang' }]);
        const { client, next } = talk();
        await next('session.created');
        client.send({ type: 'response.create' });
        await next('response.output_text.delta');
        const leftMs = performance.now();
        client.socket.terminate();
        await eventually(() => expect(opened().closedMs).toBeDefined());
        return (opened().closedMs ?? Number.NaN) - leftMs;
      };
      expect(await medianOf(leave, (ms) => ms >= mostLeavingMs)).toBeLessThan(mostLeavingMs);
      await booksAgree(gateway, root);
      expect((await newest())?.completion_tokens).toBe(10);
    });

    test('a caller who vanishes before any turn costs nothing', async () => {
      const before = (await rows()).length;
      const { client, next } = talk();
      await next('session.created');
      client.socket.terminate();
      await booksAgree(gateway, root);
      expect((await rows()).length).toBe(before);
    });

    test('an upstream that refuses is replaced by another one before the caller hears anything', async () => {
      const second = await startRealtimeMock();
      await addServing(root, { base_url: upstream.url, models: other, priority: 5 });
      await addServing(root, { base_url: second.url, models: other });
      upstream.refuse({ status: 500, body: { error: { message: 'broken', type: 'server_error', code: 'broken' } } });
      const { client, next, turn } = talk({ model: other });
      await next('session.created');
      await turn();
      client.close();
      expect(second.openings.length).toBe(1);
      await second.close();
      const failing = talk({ model: other });
      expect(await failing.next('error')).toMatchObject({ error: { message: expect.any(String) } });
      expect((await failing.closed()).code).toBe(1011);
      await booksAgree(gateway, root);
    });

    test('an upstream whose account can do nothing more is replaced, too, whatever its status', async () => {
      const second = await startRealtimeMock();
      await addServing(root, { base_url: upstream.url, models: third, priority: 5 });
      await addServing(root, { base_url: second.url, models: third });
      upstream.refuse({ status: 400, body: { error: { message: 'You exceeded your current quota.', code: 'billing' } } });
      const { client, next, turn } = talk({ model: third });
      await next('session.created');
      await turn();
      client.close();
      expect(second.openings.length).toBe(1);
      await second.close();
      await booksAgree(gateway, root);
    });
  });

  describe('bounds', () => {
    test('requests per minute hold for turns: the one too many ends the session', async () => {
      const limited = await root.addToken({ name: 'limited', rpm: 2 });
      const { next, turn, closed, client } = talk({ key: limited.key });
      await next('session.created');
      await turn();
      await turn();
      client.send({ type: 'response.create' });
      expect(await next('error')).toMatchObject({ error: { code: 'too_many_requests' } });
      expect((await closed()).code).toBe(1013);
      await booksAgree(gateway, root);
    });

    test('sessions count as running calls as long as they are open', async () => {
      const limited = await root.addToken({ name: 'single', concurrency: 1 });
      const first = talk({ key: limited.key });
      await first.next('session.created');
      await first.turn();
      await first.turn();
      const second = talk({ key: limited.key });
      expect(await second.next('error')).toMatchObject({ error: { code: 'too_many_requests' } });
      first.client.close();
      await eventually(async () => {
        const third = talk({ key: limited.key });
        await third.next('session.created');
        third.client.close();
      });
    });

    test.each(['quota_day', 'tpm'])('%s holds for turns', async (limit) => {
      const limited = await root.addToken({ name: limit, [limit]: 20 });
      const { next, turn, client, closed } = talk({ key: limited.key });
      await next('session.created');
      upstream.script([{ usage: usageOf(30, 1) }]);
      await turn();
      client.send({ type: 'response.create' });
      expect(await next('error')).toMatchObject({ error: { code: 'too_many_requests' } });
      expect((await closed()).code).toBe(1013);
    });

    test.each([0, 1])('a key that is switched off after %s turns does not begin another', async (turns) => {
      const token = await root.addToken({ name: 'revoked' });
      const { next, turn, client, closed } = talk({ key: token.key });
      await next('session.created');
      if (turns > 0) await turn();
      await root.call('PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
      client.send({ type: 'response.create' });
      await next('error');
      expect((await closed()).code).toBe(1008);
      await booksAgree(gateway, root);
    });

    test('what is no event is refused and not passed on, and the session goes on', async () => {
      const { client, next, turn } = talk();
      await next('session.created');
      for (const text of ['{', '[]', '{"type":"response.create","type":"session.update"}', '{"no":"type"}']) {
        client.socket.send(text);
        expect(await next('error')).toMatchObject({ error: { code: 'invalid_request' } });
      }
      expect(opened().heard).toEqual([]);
      await turn();
      client.close();
    });

    test('a message of more than 16 MiB ends the session, one below passes', async () => {
      const { client, events, next, closed } = talk();
      await next('session.created');
      client.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(15 * 1024 * 1024) });
      await eventually(() => expect(opened().heard.length, JSON.stringify(events.at(-1))).toBe(1));
      client.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(17 * 1024 * 1024) });
      expect((await closed()).code).toBe(1009);
      await booksAgree(gateway, root);
    });

    test('a caller who does not read holds the upstream back, and gets everything in the end', async () => {
      const { client, next } = talk();
      await next('session.created');
      client.socket.pause();
      const { socket } = opened();
      const piece = Buffer.alloc(1024 * 1024).toString('base64');
      const count = 40;
      for (let index = 0; index < count; index += 1) socket.send(JSON.stringify({ type: 'piece', index, piece }));
      let last = -1;
      // What the sockets of the system hold is all that moves.
      await eventually(() => {
        const waiting = socket.bufferedAmount;
        const isStill = waiting === last;
        last = waiting;
        expect(isStill).toBe(true);
      });
      expect(last).toBeGreaterThan(20 * 1024 * 1024);
      client.socket.resume();
      for (let index = 0; index < count; index += 1) expect((await next('piece')).index).toBe(index);
      client.close();
    });

    test('words that the operator forbids are not passed on', async () => {
      await root.setOption('CheckSensitiveEnabled', true);
      await root.setOption('CheckSensitiveOnPromptEnabled', true);
      await root.setOption('SensitiveWords', 'forbidden-word');
      // What the session goes by is the state it began with.
      await eventually(async () => {
        const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'a forbidden-word' }] }),
        });
        expect(answer.status).toBe(400);
      });
      const { client, next } = talk();
      await next('session.created');
      const item = (text: string) => ({
        type: 'message' as const,
        role: 'user' as const,
        content: [{ type: 'input_text' as const, text }],
      });
      client.send({ type: 'conversation.item.create', item: item('a Forbidden-Word') });
      expect(await next('error')).toMatchObject({ error: { code: 'sensitive_words_detected' } });
      client.send({ type: 'conversation.item.create', item: item('fine') });
      await eventually(() => expect(opened().heard.length).toBe(1));
      client.close();
      await root.setOption('CheckSensitiveEnabled', false);
    });
  });

  describe('the process', () => {
    beforeAll(async () => {
      await gateway.end();
      gateway = await startGateway({ ...gateway.env, ...leases });
      root = await gateway.root();
    });

    test('killed in a turn: what it held is swept, the turn is not free, nothing is charged twice', async () => {
      upstream.script([
        { words: ['x'.repeat(400)], usage: usageOf(10, 2) },
        { words: ['x'.repeat(400)], stop: 'hang' },
      ]);
      const before = (await rows()).length;
      const { next, turn, client, closed } = talk();
      await next('session.created');
      await turn();
      client.send({ type: 'response.create' });
      await next('response.output_text.delta');
      await gateway.kill();
      await closed();
      gateway = await startGateway(gateway.env);
      root = await gateway.root();
      await booksAgree(gateway, root, 15_000);
      const fresh = (await rows()).slice(0, (await rows()).length - before);
      expect(fresh.length).toBe(2);
      expect(fresh.every(({ quota }) => quota > 0)).toBe(true);
    });

    test('told to stop: an idle session ends at once, one in a turn after it', async () => {
      upstream.script([{ words: ['x'], stop: 'hang' }]);
      const idle = talk();
      await idle.next('session.created');
      const busy = talk();
      await busy.next('session.created');
      busy.client.send({ type: 'response.create' });
      await busy.next('response.output_text.delta');
      const speaker = opened();
      const { env } = gateway;
      const exit = once(gateway.process, 'exit');
      gateway.process.kill('SIGTERM');
      expect(await idle.next('error')).toMatchObject({ error: { code: 'shutting_down' } });
      expect((await idle.closed()).code).toBe(1012);
      expect(busy.client.socket.readyState).toBe(WebSocket.OPEN);
      speaker.socket.send(JSON.stringify({ type: 'response.done', response: { id: 'resp_1', usage: usageOf(10, 2) } }));
      await busy.next('response.done');
      expect((await busy.closed()).code).toBe(1012);
      expect((await exit)[0]).toBe(0);
      gateway = await startGateway(env);
      root = await gateway.root();
      await booksAgree(gateway, root);
    });
  });
});
