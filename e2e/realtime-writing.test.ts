import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { booksAgree } from './support/books-agree.ts';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type RealtimeMock, startRealtimeMock } from './support/mock/realtime.ts';
import { addServing } from './support/routing.ts';
import { talkTo } from './support/talk.ts';
import { eventually } from './support/wait.ts';

const model = 'talking-model';
const completed = 'conversation.item.input_audio_transcription.completed';
const written = (usage: unknown) => ({ type: completed, item_id: 'item_1', content_index: 0, transcript: 'abcdefgh', usage });

onEachEngine((_engine, _open, kit) => {
  let upstream: RealtimeMock;
  let gateway: Gateway;
  let root: Console;
  let key: string;

  beforeAll(async () => {
    upstream = await startRealtimeMock();
    gateway = await gatewayOn(kit);
    root = await gateway.root();
    await root.setOption('ModelRatio', { [model]: 1 });
    await addServing(root, { base_url: upstream.url, models: model });
    key = (await root.addToken({ name: 'talker' })).key;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const raw = (query: string, protocols: string[] = [], headers: Record<string, string> = {}) =>
    new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime${query}`, protocols, { headers });

  test('a transcript in a conversation is asked for by the upstream’s name of the model that writes, and sold by the caller’s', async () => {
    const writing = { alias: 'our-writer', sent: 'their-writer' };
    await root.setOption('ModelRatio', {
      [model]: 1,
      'rt-mapped': 1,
      [writing.alias]: 2,
      [writing.sent]: 9,
    });
    const model_mapping = JSON.stringify({ [writing.alias]: writing.sent });
    await addServing(root, { base_url: upstream.url, models: 'rt-mapped', model_mapping });
    const { client, next } = talkTo({ url: gateway.url, key, model: 'rt-mapped' });
    await next('session.created');
    const audio = { input: { transcription: { model: writing.alias, language: 'en' } } };
    client.send({ type: 'session.update', session: { type: 'realtime', audio } });
    await next('session.updated');
    const opening = upstream.openings.at(-1);
    const sent = { model: writing.sent, language: 'en' };
    expect(opening?.heard.at(-1)).toMatchObject({ session: { type: 'realtime', audio: { input: { transcription: sent } } } });
    opening?.socket.send(JSON.stringify(written({ input_tokens: 7, output_tokens: 2 })));
    await next(completed);
    client.close();
    await booksAgree(gateway, root);
    const [row] = await root.logs();
    expect(row).toMatchObject({ model_name: writing.alias, quota: (7 + 2) * 2 });
    expect(JSON.parse(row?.other ?? '')).toMatchObject({ upstream_model_name: writing.sent });
  });

  test('a session that only writes down is sold as its own model, whatever the upstream calls it, and no other writes', async () => {
    await root.setOption('ModelRatio', { [model]: 1, 'only-writer': 3, 'their-writer': 9 });
    const model_mapping = JSON.stringify({ 'only-writer': 'their-writer' });
    await addServing(root, { base_url: upstream.url, models: 'only-writer', model_mapping });
    const socket = raw('?intent=transcription&model=only-writer', [], { authorization: `Bearer ${key}` });
    const said = async () => JSON.parse(String((await once(socket, 'message'))[0]));
    expect(await said()).toMatchObject({ type: 'session.created' });
    const update = (name: string) => {
      const session = { input_audio_transcription: { model: name } };
      socket.send(JSON.stringify({ type: 'transcription_session.update', session }));
    };
    update('dear-writer');
    expect(await said()).toMatchObject({ error: { code: 'session_model_fixed' } });
    update('only-writer');
    const opening = upstream.openings.at(-1);
    const sent = { input_audio_transcription: { model: 'their-writer' } };
    await eventually(() => expect(opening?.heard.map(({ session }) => session)).toEqual([sent]));
    opening?.socket.send(JSON.stringify({ type: 'session.updated', session: sent }));
    await said();
    opening?.socket.send(JSON.stringify(written({ input_tokens: 7, output_tokens: 2 })));
    await said();
    socket.close();
    await booksAgree(gateway, root);
    expect((await root.logs())[0]).toMatchObject({ model_name: 'only-writer', quota: (7 + 2) * 3 });
  });

  test('such a session is asked for by its intent, and ends with its key at the next transcript', async () => {
    const token = await root.addToken({ name: 'writer' });
    const socket = raw(`?intent=transcription&model=${model}`, [], { authorization: `Bearer ${token.key}` });
    await once(socket, 'message');
    const opening = upstream.openings.at(-1);
    expect(opening?.url).toBe(`/v1/realtime?intent=transcription&model=${model}`);
    await root.call('PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
    const transcript = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'i', transcript: 'abcd' };
    opening?.socket.send(JSON.stringify({ ...transcript, content_index: 0, usage: { input_tokens: 9, output_tokens: 1 } }));
    const [last] = await once(socket, 'message');
    expect(JSON.parse(String(last))).toMatchObject({ type: 'error' });
    await once(socket, 'close');
    await booksAgree(gateway, root);
    expect((await root.logs()).filter(({ token_name }) => token_name === 'writer')).toEqual([]);
  });

  test('it need not name its model: the session says it, and what was said before reaches the upstream', async () => {
    await addServing(root, { base_url: upstream.url, models: 'told-writer' });
    await root.setOption('ModelRatio', { [model]: 1, 'told-writer': 2 });
    const socket = raw('?intent=transcription', [], { authorization: `Bearer ${key}` });
    const heard: Record<string, unknown>[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    await eventually(() => expect(heard).toMatchObject([{ type: 'session.created', session: { type: 'transcription' } }]));
    const append = { type: 'input_audio_buffer.append', audio: Buffer.alloc(480).toString('base64') };
    const transcription = { model: 'told-writer', language: 'en' };
    const update = { type: 'session.update', session: { type: 'transcription', audio: { input: { transcription } } } };
    for (const event of [append, update]) socket.send(JSON.stringify(event));
    await eventually(() => expect(heard.at(-1)).toMatchObject({ type: 'session.updated' }));
    const opening = upstream.openings.at(-1);
    expect(opening?.url).toBe('/v1/realtime?intent=transcription&model=told-writer');
    expect(opening?.heard).toEqual([append, update]);
    const transcript = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'i', transcript: 'abcd' };
    opening?.socket.send(JSON.stringify({ ...transcript, content_index: 0, usage: { input_tokens: 9, output_tokens: 1 } }));
    await eventually(() =>
      expect(heard.map(({ type }) => type)).toEqual(['session.created', 'session.updated', transcript.type]),
    );
    socket.close();
    await booksAgree(gateway, root);
    expect((await root.logs())[0]).toMatchObject({ model_name: 'told-writer', quota: 10 * 2 });
  });

  test.each([
    ['no model that is served', 'nobody-writes', 'nobody-writes'],
    ['something that is no name', 7, 'model is invalid'],
  ])('one that then names %s is told so', async (_, named, words) => {
    const socket = raw('?intent=transcription', ['realtime', 'openai-beta.realtime-v1'], { authorization: `Bearer ${key}` });
    const [created] = await once(socket, 'message');
    expect(JSON.parse(String(created))).toMatchObject({ type: 'transcription_session.created' });
    const session = { input_audio_transcription: { model: named } };
    socket.send(JSON.stringify({ type: 'transcription_session.update', session }));
    const [told] = await once(socket, 'message');
    expect(JSON.parse(String(told))).toMatchObject({ type: 'error', error: { message: expect.stringContaining(words) } });
    await once(socket, 'close');
    await booksAgree(gateway, root);
  });

  test('one that hears more than it may keep before it is told who writes is refused', async () => {
    const socket = raw('?intent=transcription', [], { authorization: `Bearer ${key}` });
    await once(socket, 'message');
    socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.alloc(800_000).toString('base64') }));
    const [told] = await once(socket, 'message');
    expect(JSON.parse(String(told)).error.message).toContain('model is required');
    await once(socket, 'close');
  });
});
