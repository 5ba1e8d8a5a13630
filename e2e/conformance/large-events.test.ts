import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listening } from '../../server/test/listening.ts';
import { eventually } from '../support/wait.ts';
import { type Asked, ask as asked } from './streams/ask.ts';
import { callers, told } from './streams/dialects.ts';
import { measureMemory } from './streams/process-memory.ts';
import { type Column, costOf, type Front, modelOf, numberedChannels, startFront } from './world.ts';

const mebibyte = 1024 * 1024;
/** One event of 12 MB takes 12 MiB beyond what it may have without asking, two take more than this. */
const budgetMb = 20;
/** What the events of one stream and the work on them may take, garbage included; without back-pressure they would take gigabytes. */
const maxGrownMb = 128;

const picture = randomBytes(9 * 1_000_000).toString('base64');
const tooLarge = 'A'.repeat(17 * mebibyte);

/** What the upstream does with a request; all are served at once. */
let next: (response: ServerResponse) => void;
let server: Server;
let front: Front;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      next(response);
    });
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  front = await startFront(url, numberedChannels(2), { env: { MAX_BODIES_MB: String(budgetMb) } });
});
afterAll(async () => {
  expect(await front.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  server.closeAllConnections();
  await front.stop();
  server.close();
});

const event = (body: object, name?: string) =>
  Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(body)}\n\n`);

/** A short text, the picture, and the figures of `told`: as Gemini's models for pictures stream it. */
function geminiEvents(data: string): Buffer[] {
  const chunk = (part: object, more: object = {}, figures: object = {}) =>
    event({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }], modelVersion: 'm', ...figures });
  const usageMetadata = {
    promptTokenCount: told.prompt,
    cachedContentTokenCount: told.cached,
    candidatesTokenCount: told.completion,
  };
  return [
    chunk({ text: 'Here it is.' }),
    chunk({ inlineData: { mimeType: 'image/png', data } }, { finishReason: 'STOP' }, { usageMetadata }),
  ];
}

/** A picture made by a hosted tool: the last event repeats it. */
function responsesEvents(result: string): Buffer[] {
  const call = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result };
  const response = { id: 'resp_1', object: 'response', model: 'm', status: 'completed' };
  const usage = {
    input_tokens: told.prompt,
    input_tokens_details: { cached_tokens: told.cached },
    output_tokens: told.completion,
  };
  const bodies = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress', result: null } },
    { type: 'response.output_item.done', output_index: 0, item: call },
    { type: 'response.completed', response: { ...response, output: [call], usage } },
  ];
  return bodies.map((body) => event(body, body.type));
}

const ask = (caller: Column, column: Column = 'gemini-generate') => asked(front, caller, `${modelOf(column)}-0`);

const answered = (events: readonly Buffer[]) => (response: ServerResponse) => void response.end(Buffer.concat(events));

/** The pictures in a stream of the chat dialect. */
function chatPictures(bytes: Buffer): string[] {
  type Chunk = { choices?: { delta?: { images?: { image_url: { url: string } }[] } }[] };
  return bytes
    .toString('utf8')
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'))
    .flatMap((text) => (JSON.parse(text.slice(6)) as Chunk).choices ?? [])
    .flatMap(({ delta }) => delta?.images ?? [])
    .map(({ image_url }) => image_url.url);
}

function assertCharged(got: Asked): void {
  expect([got.status, got.charged, got.rows.length]).toEqual([200, costOf(told), 1]);
}

describe('a picture of 12 MB in one event', () => {
  test.each([
    ['gemini-generate', geminiEvents],
    ['openai-responses', responsesEvents],
  ] as const)('is passed on as it is, and charged: %s', async (column, eventsOf) => {
    const events = eventsOf(picture);
    next = answered(events);
    const got = await ask(column, column);
    expect(got.bytes.equals(Buffer.concat(events))).toBe(true);
    assertCharged(got);
  });

  test('reaches a caller of chat completions as it is, and is charged', async () => {
    next = answered(geminiEvents(picture));
    const got = await ask('openai-chat');
    const pictures = chatPictures(got.bytes);
    expect([pictures.length, pictures[0] === `data:image/png;base64,${picture}`]).toEqual([1, true]);
    expect(got).toMatchObject({ text: 'Here it is.', isWhole: true });
    assertCharged(got);
  });

  test('reaches a caller of responses once, and one of an array of events', async () => {
    next = answered(geminiEvents(picture));
    const got = await ask('openai-responses');
    expect(got.bytes.toString('latin1').split(picture)).toHaveLength(2);
    assertCharged(got);
    const { path, body } = callers['gemini-generate'];
    const model = `${modelOf('gemini-generate')}-0`;
    const answer = await fetch(front.gateway.url + path(model, true).replace('?alt=sse', ''), {
      method: 'POST',
      headers: { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body(model, true)),
    });
    const [, shown] = (await answer.json()) as [object, { candidates: { content: { parts: object[] } }[] }];
    expect(shown.candidates[0]?.content.parts).toEqual([{ inlineData: { mimeType: 'image/png', data: picture } }]);
  });

  test.each(['gemini-generate', 'openai-chat'] as const)('of more than 16 MiB ends the stream as ever: %s', async (caller) => {
    next = answered(geminiEvents(tooLarge));
    const got = await ask(caller);
    expect([got.status, got.isWhole, got.text]).toEqual([200, false, 'Here it is.']);
    expect(got.bytes.toString('utf8')).toContain('"error"');
    expect(got.bytes.toString('utf8')).not.toContain('"overloaded"');
    expect(got.rows).toMatchObject([{ other: { cut: true } }]);
  });
});

describe('while another stream holds the room for such events', () => {
  const [text = Buffer.alloc(0), shown = Buffer.alloc(0)] = geminiEvents(picture);
  const most = shown.subarray(0, 11_900_000);

  /** A call whose event has come but for its end, and what its upstream may do then. */
  async function holding(caller: Column) {
    const responses: ServerResponse[] = [];
    next = (response) => {
      responses.push(response);
      response.write(text);
      response.write(most);
    };
    const leaving = new AbortController();
    const { path, body } = callers[caller];
    const model = `${modelOf('gemini-generate')}-1`;
    const answer = await fetch(front.gateway.url + path(model, true), {
      method: 'POST',
      headers: { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body(model, true)),
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    const rest = answer.arrayBuffer().catch(() => 'left');
    await eventually(() => expect(responses[0]?.writableLength).toBe(0));
    return { leave: () => leaving.abort(), rest, upstream: responses[0] ?? expect.fail() };
  }

  const isServed = async () => {
    next = answered([text, shown]);
    return (await ask('gemini-generate')).isWhole;
  };

  test.each(['gemini-generate', 'openai-chat'] as const)(
    'the next one is told so, and comes through once the first has ended, was left or broke: %s',
    async (caller) => {
      const ends: readonly ((held: Awaited<ReturnType<typeof holding>>) => void)[] = [
        ({ upstream }) => void upstream.end(shown.subarray(most.length)),
        ({ leave }) => leave(),
        ({ upstream }) => void upstream.destroy(),
      ];
      for (const end of ends) {
        const held = await holding(caller);
        await eventually(async () => expect(await isServed()).toBe(false));
        next = answered([text, shown]);
        const begun = await ask(caller);
        expect([begun.status, begun.isWhole, begun.text]).toEqual([200, false, 'Here it is.']);
        expect(begun.bytes.toString('utf8')).toMatch(/overloaded|UNAVAILABLE/);
        expect(begun.rows).toMatchObject([{ other: { cut: true } }]);
        next = answered([shown]);
        expect(await ask(caller)).toMatchObject({ status: 503, charged: 0, rows: [] });
        end(held);
        await held.rest;
        await eventually(async () => expect(await isServed()).toBe(true));
      }
    },
  );
});

describe('a caller who reads nothing of a picture', () => {
  /** Asks, and stops reading after the first bytes. */
  async function askAndStop(column: Column) {
    const { path, body } = callers[column];
    const model = `${modelOf('gemini-generate')}-1`;
    const { hostname, port } = new URL(front.gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const text = JSON.stringify(body(model, true));
    const lines = [`POST ${path(model, true)} HTTP/1.1`, 'host: a', `authorization: Bearer ${front.key}`];
    const more = ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`, '', text];
    socket.write([...lines, ...more].join('\r\n'));
    await once(socket, 'data');
    socket.pause();
    return socket;
  }

  test.each(['gemini-generate', 'openai-chat'] as const)('keeps its room although the answer has ended: %s', async (caller) => {
    const events = geminiEvents(picture);
    next = answered(events);
    const socket = await askAndStop(caller);
    const isServed = async () => {
      next = answered(events);
      return (await ask('gemini-generate')).isWhole;
    };
    await eventually(async () => expect(await isServed()).toBe(false));
    expect(await isServed()).toBe(false);
    socket.resume();
    await eventually(async () => expect(await isServed()).toBe(true));
    socket.destroy();
  });

  test.each(['gemini-generate', 'openai-chat'] as const)('makes nobody hold more than one of them: %s', async (caller) => {
    const [text = Buffer.alloc(0), shown = Buffer.alloc(0)] = geminiEvents(picture);
    let taken = 0;
    next = (response) => {
      const go = () => {
        while (!response.destroyed && response.write(shown)) taken += 1;
        taken += 1;
      };
      response.on('drain', go);
      response.write(text);
      go();
    };
    const meter = await measureMemory(front.gateway.process.pid ?? 0);
    const socket = await askAndStop(caller);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(taken).toBeLessThan(6);
    expect(await meter.grown()).toBeLessThan(maxGrownMb);
    socket.destroy();
  });
});
