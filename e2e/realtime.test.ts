import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { booksAgree } from './support/books-agree.ts';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type RealtimeMock, startRealtimeMock, usageOf } from './support/mock/realtime.ts';
import { addServing } from './support/routing.ts';
import { type TalkOptions, talkTo } from './support/talk.ts';

const model = 'talking-model';
let upstream: RealtimeMock;
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  upstream = await startRealtimeMock();
  gateway = await startGateway();
  root = await gateway.root();
  await addServing(root, { base_url: upstream.url, models: model });
  await root.setOption('ModelRatio', { [model]: 1 });
  await root.setOption('CompletionRatio', { [model]: 4 });
  await root.setOption('AudioRatio', { [model]: 10 });
  await root.setOption('AudioCompletionRatio', { [model]: 2 });
  key = (await root.addToken({ name: 'talker' })).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const talk = (options: Partial<TalkOptions> = {}) => talkTo({ url: gateway.url, key, model, ...options });
const rows = async () => (await root.logs()).filter(({ model_name }) => model_name === model);
const balance = async () => (await root.self()).quota;

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
    expect(before - (await balance())).toBe(2050);
    expect(first).toMatchObject({ prompt_tokens: 10, completion_tokens: 2, is_stream: true });
    expect(second?.content).toBe('模型倍率 1.00，补全倍率 4.00，音频倍率 10.00，音频补全倍率 2.00，分组倍率 1.00');
    expect(JSON.parse(second?.other ?? '{}')).toMatchObject({ ws: true, audio_input: 100, audio_output: 50, text_input: 20 });
    await booksAgree(gateway, root);
  });

  test('is asked for with the channel’s credential, by the upstream’s name of the model', async () => {
    const alias = 'alias-model';
    await addServing(root, {
      base_url: upstream.url,
      models: alias,
      model_mapping: JSON.stringify({ [alias]: 'real-model' }),
      key: 'k-alias',
    });
    await root.setOption('ModelRatio', { [model]: 1, [alias]: 1 });
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
