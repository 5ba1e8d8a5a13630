import { readdirSync, readFileSync } from 'node:fs';
import OpenAI, { APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { chat, clientDialect, decodeFrames } from '../wire/src/index.ts';

const dialect = required(clientDialect('openai-responses'));
const folder = new URL('../wire/fixtures/openai-responses/', import.meta.url);
const context = {
  id: 'abc123',
  model: 'model-of-caller',
  created: 1_760_000_000,
  wantsUsage: true,
  promptEstimate: 1,
};

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing');
  return value;
}

/** The official client, answered with these bytes. */
function clientOf(bytes: Buffer): OpenAI {
  const headers = { 'content-type': 'text/event-stream' };
  return new OpenAI({
    apiKey: 'sk-test',
    maxRetries: 0,
    fetch: async () => new Response(new Uint8Array(bytes), { headers }),
  });
}

function eventsOf(stream: Buffer): chat.ChatEvent[] {
  const decoder = dialect.createDecoder();
  return decodeFrames(stream).flatMap((frame) => [...decoder.push(frame)]);
}

/** The stream that a caller gets who is answered through the neutral form. */
function saidAgain(events: readonly chat.ChatEvent[], usage: chat.ChatResponse['usage']): Buffer {
  const encoder = dialect.createEncoder(context);
  const frames = events.map((event) => encoder.push(event) ?? Buffer.alloc(0));
  const isFailed = events.some(({ kind }) => kind === 'error');
  return Buffer.concat(isFailed ? frames : [...frames, encoder.close(usage)]);
}

const streams = readdirSync(folder)
  .filter((file) => file.endsWith('.sse'))
  .map((file) => ({ file, events: eventsOf(readFileSync(new URL(file, folder))) }));
const whole = streams.filter(({ events }) => events.at(-1)?.kind === 'end');
const failed = streams.filter(({ events }) => events.at(-1)?.kind === 'error');

describe('the official client accumulates what the encoder writes', () => {
  test.each(whole)('$file', async ({ events }) => {
    const response = chat.foldEvents(events);
    const stream = clientOf(saidAgain(events, response.usage)).responses.stream({ model: 'm', input: 'x' });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const final = await stream.finalResponse();
    const { body } = dialect.encodeResponse(response, context);
    expect(JSON.parse(JSON.stringify(final))).toMatchObject(body);
    expect(final.output_text).toBe(text);
  });
});

describe('the official client throws what the upstream failed with', () => {
  test.each(failed)('$file', async ({ events }) => {
    const last = events.at(-1);
    const client = clientOf(saidAgain(events, undefined));
    const failure = await client.responses
      .stream({ model: 'm', input: 'x' })
      .finalResponse()
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(failure).toBeInstanceOf(APIError);
    expect(String(failure)).toContain(last?.kind === 'error' ? last.error.message : 'nothing');
  });
});
