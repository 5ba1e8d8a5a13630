import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventPieces } from '../support/mock/vendors/vendor.ts';
import { anthropicOf, googleOf, openaiOf } from './clients.ts';
import { type Asked, ask as asked, pairs } from './streams/ask.ts';
import { broken, type Damage, empties, legal, lies, wideText } from './streams/damage.ts';
import { piecesOf, told, wholeOf } from './streams/dialects.ts';
import { type RawUpstream, startRawUpstream } from './streams/raw-upstream.ts';
import { type Column, costOf, type Front, modelOf, numberedChannels, startFront } from './world.ts';

const modelsPerChannel = 250;
/** Ten bombs and forty lines of megabytes in ten seconds; without bounds they would be a gigabyte. */
const peakMb = 640;

let upstream: RawUpstream;
let front: Front;
let next = 0;

beforeAll(async () => {
  upstream = await startRawUpstream();
  front = await startFront(upstream.url, numberedChannels(modelsPerChannel));
});
afterAll(async () => {
  await front.stop();
  await upstream.close();
});

const ask = (caller: Column, column: Column, stream = true) =>
  asked(front, caller, `${modelOf(column)}-${next++ % modelsPerChannel}`, stream);

function assertWhole(got: Asked, text: string, isUnended = false): void {
  expect(got.status, got.bytes.toString('utf8', 0, 400)).toBe(200);
  expect(
    got.text === text,
    `${got.text.length} characters instead of ${text.length}: ${got.bytes.toString('utf8', 0, 400)}`,
  ).toBe(true);
  if (!isUnended) expect(got.isWhole).toBe(true);
  expect(got.rows).toHaveLength(1);
  expect(got.charged).toBe(costOf(told));
}

describe.each(pairs)('a caller of %s, an upstream of %s', (caller, column) => {
  test.each(legal)('legal: $name', async ({ answer, text = '', isUnended }: Damage) => {
    upstream.answer(answer(column));
    // What passes through is not made up.
    assertWhole(await ask(caller, column), text, isUnended && caller === column);
  });

  test.each(broken)('broken: $name', async ({ answer }: Damage) => {
    upstream.answer(answer(column));
    const got = await ask(caller, column);
    expect(got.status).toBe(200);
    expect(wideText.startsWith(got.text.slice(0, 8))).toBe(true);
    expect(got.isWhole, 'a cut answer must not look like a whole one').toBe(false);
    expect(got.bytes.toString('utf8')).toMatch(/"error"|response\.failed/);
    expect(got.rows).toHaveLength(1);
    expect(got.rows[0]?.other).toMatchObject({ cut: true });
    expect(got.charged).toBeGreaterThan(0);
    expect(got.charged).toBeLessThanOrEqual(costOf(told));
  });

  test.each(lies)('a success that is none: $name', async ({ answer }: Damage) => {
    for (const stream of [true, false]) {
      upstream.answer(answer(column));
      const got = await ask(caller, column, stream).catch((error: unknown) => error);
      expect(got).toMatchObject({ charged: 0, rows: [] });
      expect((got as Asked).status).toBeGreaterThanOrEqual(400);
      expect(upstream.calls, 'the upstream was asked').toBeGreaterThan(0);
    }
  });

  test.each(empties)('a success without a word: $name', async ({ answer }) => {
    for (const stream of [true, false]) {
      upstream.answer(answer);
      const got = await ask(caller, column, stream);
      expect(got.status).toBe(502);
      expect(got.rows).toMatchObject([{ completion: 0, other: { usage_source: 'estimated', cut: true } }]);
      const prompt = got.rows[0]?.prompt ?? 0;
      expect(prompt).toBeGreaterThan(0);
      expect(got.charged).toBe(costOf({ prompt, cached: 0, write5m: 0, write1h: 0, completion: 0, reasoning: 0 }));
    }
  });

  test('a compressed answer is read, whole or streamed; a truncated one never passes for whole', async () => {
    const stream = Buffer.concat(eventPieces(piecesOf(column, wideText), {}));
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    upstream.answer({ headers, writes: [gzipSync(stream)] });
    assertWhole(await ask(caller, column), wideText);
    const whole = wholeOf(column, wideText);
    const plain = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    upstream.answer({ headers: plain, writes: [gzipSync(whole)] });
    expect(await ask(caller, column, false)).toMatchObject({ status: 200, text: wideText, charged: costOf(told) });
    upstream.answer({ headers: plain, writes: [gzipSync(whole).subarray(0, -20)] });
    expect(await ask(caller, column, false)).toMatchObject({ charged: 0, rows: [] });
  });

  test('half of a whole answer is an error, and free', async () => {
    const whole = wholeOf(column, wideText);
    const half = whole.subarray(0, whole.length / 2);
    const type = { 'content-type': 'application/json' };
    const sized = { ...type, 'content-length': String(whole.length) };
    for (const answer of [
      { headers: type, writes: [half] },
      { headers: sized, writes: [half], end: 'fin' as const },
    ]) {
      upstream.answer(answer);
      const got = await ask(caller, column, false);
      expect(got).toMatchObject({ charged: 0, rows: [] });
      expect(got.status).toBeGreaterThanOrEqual(500);
      expect(upstream.calls).toBeGreaterThan(0);
    }
  });

  test('a bomb of zeros is an error, and free', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    upstream.answer({ headers, writes: [gzipSync(Buffer.alloc(64 * 1024 * 1024, 32))] });
    const got = await ask(caller, column, false);
    expect(got).toMatchObject({ charged: 0, rows: [] });
    expect(got.status).toBeGreaterThanOrEqual(500);
  });

  test('impossible figures are clamped and marked', async () => {
    const absurd = (text: string) => text.replaceAll(/"(\w*[tT]okens?\w*)":(\d+)/g, '"$1":$2.5');
    const events = eventPieces(piecesOf(column, wideText), {}).map((event) => Buffer.from(absurd(event.toString())));
    upstream.answer({ writes: events });
    const got = await ask(caller, column);
    expect(got).toMatchObject({ status: 200, text: wideText });
    expect(got.rows[0]?.other).toMatchObject({ usage_anomaly: true });
  });
});

/** What each official client makes of a stream, read to its end. */
const readers: Readonly<Record<Column, (model: string) => Promise<unknown>>> = {
  'openai-chat': (model) =>
    openaiOf(front)
      .chat.completions.stream({ model, messages: [{ role: 'user', content: 'hi' }] })
      .finalContent(),
  'openai-responses': (model) => openaiOf(front).responses.stream({ model, input: 'hi' }).finalResponse(),
  'anthropic-messages': (model) =>
    anthropicOf(front)
      .messages.stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] })
      .finalMessage(),
  'gemini-generate': async (model) => {
    for await (const { text } of await googleOf(front).models.generateContentStream({ model, contents: 'hi' }))
      expect(text).toBeDefined();
  },
};

describe.each(pairs)('the official client of %s, an upstream of %s', (caller, column) => {
  test.each(broken)('$name: it throws', async ({ answer }: Damage) => {
    upstream.answer(answer(column));
    await expect(readers[caller](`${modelOf(column)}-${next++ % modelsPerChannel}`)).rejects.toThrow();
    expect(upstream.calls).toBeGreaterThan(0);
  });
});

test('memory stayed within bounds, and the books are right after all of it', async () => {
  const [, peakKb = '0'] =
    /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${front.gateway.process.pid}/status`, 'utf8').catch(() => '')) ?? [];
  expect(Number(peakKb) / 1024).toBeLessThan(peakMb);
  expect(await front.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
});
