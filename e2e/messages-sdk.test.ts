import { readdirSync, readFileSync } from 'node:fs';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { chat, clientDialect, decodeFrames, type JsonObject, upstreamDialect } from '../wire/src/index.ts';

const dialect = required(clientDialect('anthropic-messages'));
const root = new URL('../wire/fixtures/', import.meta.url);
const context = { id: 'abc123', model: 'model-of-caller', created: 1_760_000_000, wantsUsage: true, promptEstimate: 1 };

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing');
  return value;
}

/** The official client, answered with these bytes. */
function clientOf(bytes: Buffer): Anthropic {
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(new Uint8Array(bytes), { headers });
  return new Anthropic({ apiKey: 'sk-test', maxRetries: 0, fetch });
}

function ask(bytes: Buffer) {
  const messages = [{ role: 'user' as const, content: 'x' }];
  return clientOf(bytes).messages.stream({ model: 'm', max_tokens: 1, messages });
}

function eventsOf(from: chat.UpstreamDialect, stream: Buffer): chat.ChatEvent[] {
  const decoder = from.createDecoder();
  return [...decodeFrames(stream).flatMap((frame) => [...decoder.push(frame)]), ...decoder.end()];
}

/** The stream that a caller gets who is answered through the neutral form. */
function saidAgain(events: readonly chat.ChatEvent[]): Buffer {
  const encoder = dialect.createEncoder(context);
  const frames = events.map((event) => encoder.push(event) ?? Buffer.alloc(0));
  const isFailed = events.some(({ kind }) => kind === 'error');
  return Buffer.concat(isFailed ? frames : [...frames, encoder.close(chat.foldEvents(events).usage)]);
}

/** The streams of every dialect that crosses to this one. */
const streams = readdirSync(root).flatMap((folder) => {
  const from = upstreamDialect(folder);
  if (from === undefined) return [];
  const files = readdirSync(new URL(`${folder}/`, root)).filter((file) => file.endsWith('.sse'));
  return files.map((file) => ({
    name: `${folder}/${file}`,
    events: eventsOf(from, readFileSync(new URL(`${folder}/${file}`, root))),
  }));
});
const isFailure = ({ events }: { events: readonly chat.ChatEvent[] }) => events.some(({ kind }) => kind === 'error');

/** Texts and calls: the same whether the client or our own decoder put them together. */
function meaning({ answers }: chat.ChatResponse) {
  const parts = answers[0]?.parts ?? [];
  return {
    text: parts.flatMap((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : [])).join(''),
    calls: parts.flatMap((part) => (part.kind === 'tool-call' ? { name: part.name, input: part.arguments } : [])),
  };
}

describe('the official client accumulates what the encoder writes', () => {
  test.each(streams.filter((stream) => !isFailure(stream)))('$name', async ({ events }) => {
    const bytes = saidAgain(events);
    const final = await ask(bytes).finalMessage();
    const again = dialect.decodeResponse(JSON.parse(JSON.stringify(final)) as JsonObject);
    const ours = chat.foldEvents(eventsOf(dialect, bytes));
    const parsed = ({ calls, text }: ReturnType<typeof meaning>) => ({
      text,
      calls: calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown })),
    });
    expect(parsed(meaning(again))).toEqual(parsed(meaning(ours)));
    // The client takes lifetimes of cache writes from the start of a stream alone.
    expect(again.usage).toEqual(ours.usage && { ...ours.usage, cacheWrite1h: undefined });
    expect(final.stop_reason).toBe(ours.answers[0]?.finish?.raw);
  });
});

describe('the official client throws what the upstream failed with', () => {
  test.each(streams.filter(isFailure))('$name', async ({ events }) => {
    const last = events.find((event) => event.kind === 'error');
    const failure = await ask(saidAgain(events))
      .finalMessage()
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(failure).toBeInstanceOf(APIError);
    expect(String(failure)).toContain(last?.error.message);
  });
});
