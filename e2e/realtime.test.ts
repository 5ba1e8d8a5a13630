import { once } from 'node:events';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openBooks } from './support/books.ts';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type RealtimeMock, startRealtimeMock, usageOf } from './support/mock/realtime.ts';
import { addServing } from './support/routing.ts';
import { eventually } from './support/wait.ts';

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

interface Event {
  readonly type: string;
  readonly [name: string]: unknown;
}

interface Talk {
  readonly client: OpenAIRealtimeWS;
  readonly events: readonly Event[];
  /** The first event from here on that fits. */
  next(type: string): Promise<Event>;
  /** One answer, to its end. */
  turn(): Promise<Event>;
  closed(): Promise<{ code: number; reason: string }>;
}

/** The vendor's own client; it wants TLS, which the test leaves out of the connection. */
function talk({ apiKey = key, name = model }: { apiKey?: string; name?: string } = {}): Talk {
  const address = new URL(gateway.url);
  const createConnection = () => connect(Number(address.port), address.hostname);
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1` });
  const client = new OpenAIRealtimeWS({ model: name, options: { createConnection } }, openai);
  const events: Event[] = [];
  let at = 0;
  let wake: () => void = () => undefined;
  client.on('event', (event) => {
    events.push(event as unknown as Event);
    wake();
  });
  client.on('error', () => undefined);
  const closing = once(client.socket, 'close').then(([code, reason]) => {
    wake();
    return { code: code as number, reason: String(reason) };
  });
  const next = async (type: string): Promise<Event> => {
    for (;;) {
      const found = events.slice(at).findIndex((event) => event.type === type);
      if (found >= 0) {
        at += found + 1;
        return events[at - 1] as Event;
      }
      if (client.socket.readyState === WebSocket.CLOSED)
        throw new Error(`closed before ${type}: ${JSON.stringify(events.at(-1))}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    client,
    events,
    next,
    turn: () => {
      client.send({ type: 'response.create' });
      return next('response.done');
    },
    closed: () => closing,
  };
}

const rows = async () => (await root.logs()).filter(({ model_name }) => model_name === model);
const balance = async () => (await root.self()).quota;

/** Nothing is held, the books agree, and every ref was charged once. */
async function booksAgree(): Promise<void> {
  const books = await openBooks(gateway);
  await eventually(async () => {
    if ((await books.openHolds()) > 0) throw new Error('a hold is open');
  });
  for (const [id, { transfers, logRows }] of await books.charges()) expect([id, transfers, logRows]).toEqual([id, 1, 1]);
  await books.close();
  expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
}

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
    await booksAgree();
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
    const { client, next, turn } = talk({ name: alias });
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
    await booksAgree();
  });
});
