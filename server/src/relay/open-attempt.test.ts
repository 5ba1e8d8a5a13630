import { setImmediate as turnsEnd } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { openaiChat } from '@tollgate/wire';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import type { BodySink, UpstreamClient, UpstreamRequest } from '../platform/http/client.ts';
import type { Target } from '../routing/index.ts';
import { passingPlan } from './answer-plan.ts';
import type { Asked, Outgoing } from './asked.ts';
import type { Caller } from './caller.ts';
import { type AttemptHost, OpenAttempt } from './open-attempt.ts';
import type { RelayParts } from './parts.ts';
import type { Report } from './responder.ts';

const usage = { prompt_tokens: 10, completion_tokens: 5 };
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
const whole = JSON.stringify({ choices, usage });
const streamed = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hello' } }], usage })}\n\n`;

const ModelFirstByteSeconds = new Map([['o3-deep-research', 900]]);
const calling = (model: string) => ({ model, snapshot: { options: { ModelFirstByteSeconds, AutomaticDisableKeywords: '' } } });

const outgoing = { answer: passingPlan(openaiChat.dialect, 'sse'), losses: [], headers: {} } as unknown as Outgoing;
const asking = (stream: boolean) =>
  ({ inquiry: { protocol: 'openai-chat', peek: { stream, n: 1 } }, option: () => undefined }) as unknown as Asked;

/** What is to be charged for an answer that comes in one piece with its head, whether its upstream was told to stop, and its id of it. */
async function chargedFor(
  type: string,
  body: string,
  gone: boolean,
  headers: Record<string, string> = {},
): Promise<{ report: Report | undefined; aborted: boolean; id: string }> {
  let report: Report | undefined;
  let aborted = false;
  let answer: () => void = () => undefined;
  const send: UpstreamClient['send'] = (_request, events) => {
    const abort = () => {
      aborted = true;
    };
    const upstream = { sent: true, abort, pause: () => undefined, resume: () => undefined };
    answer = () => {
      const sink = events.head(200, { 'content-type': type, ...headers }) ?? events;
      sink.data(Buffer.from(body));
      sink.end();
    };
    return upstream;
  };
  const ended = Promise.withResolvers<void>();
  const host = {
    ...{
      call: calling('gpt-4o'),
      caller: { gone, note: () => undefined, answer: () => undefined, startStream: () => undefined, write: () => true },
    },
    ...{ elapsedMs: () => 0, win: () => true, dispatch: async () => true, ended: () => ended.resolve() },
    settle: async (_attempt: OpenAttempt, said: Report) => {
      report = said;
      return { ...said.usage };
    },
  } as unknown as AttemptHost & { caller: Caller };
  const parts = {
    ...{ clock: new FakeClock(0), env: {}, upstream: { send } },
    watch: { began: () => undefined, alive: () => undefined },
  } as unknown as RelayParts;
  const target = { channelId: 1, channel: { id: 1, key: 'the-channels-key', setting: {} } } as unknown as Target;
  const attempt = new OpenAttempt(parts, host, target, { ...outgoing }, asking(type !== 'application/json'));
  attempt.start();
  answer();
  await ended.promise;
  return { report, aborted, id: attempt.record('').upstreamRequestId };
}

test.each([
  ['application/json', whole],
  ['text/event-stream', streamed],
])('who left before the first byte pays for the prompt alone, also of an answer that came at once: %s', async (type, body) => {
  const { report, aborted } = await chargedFor(type, body, true);
  expect([report?.usage, report?.text, aborted]).toEqual([undefined, '', true]);
});

test('who stayed pays for the answer', async () => {
  expect((await chargedFor('application/json', whole, false)).report?.usage).toMatchObject({ prompt: 10, completion: 5 });
});

test.each([
  ['application/json', whole],
  ['text/event-stream', streamed],
])('an upstream whose answer cannot be unpacked is heard no further: %s', async (type, body) => {
  const { report, aborted } = await chargedFor(type, body, false, { 'content-encoding': 'gzip' });
  expect([report, aborted]).toEqual([undefined, true]);
});

test.each([
  [{ 'x-request-id': 'req_1', 'apim-request-id': 'az-1' }, 'req_1'],
  [{ 'request-id': 'req_011' }, 'req_011'],
  [{ 'x-request-id': '', 'x-amzn-requestid': 'a1b2-c3' }, 'a1b2-c3'],
  [{ 'x-amzn-requestid': `${'x'.repeat(130)}` }, 'x'.repeat(128)],
  [{ 'x-amzn-requestid': `${'x'.repeat(120)}the-channels-key` }, `${'x'.repeat(120)}***`],
  [{ 'trace-id': 't1' }, 't1'],
  [{}, ''],
])("the upstream's own id is kept, wherever its vendor says it: %o", async (headers, id) => {
  expect((await chargedFor('application/json', whole, false, headers as Record<string, string>)).id).toBe(id);
});

test.each([
  ['o3-deep-research', {}, 900_000, 900_000],
  ['o3-deep-research', { firstByteTimeoutMs: 20_000, idleTimeoutMs: 950_000 }, 900_000, 950_000],
  ['gpt-4o', { firstByteTimeoutMs: 20_000, idleTimeoutMs: 30_000 }, 20_000, 30_000],
  ['gpt-4o', {}, 120_000, 60_000],
])(
  'the first byte is waited for as long as the model may take, then the channel, then any: %s %j',
  (model, setting, first, idle) => {
    const asked: UpstreamRequest[] = [];
    const send = (request: UpstreamRequest) => {
      asked.push(request);
      return {};
    };
    const parts = {
      ...{ clock: new FakeClock(0), env: { UPSTREAM_FIRST_BYTE_TIMEOUT_MS: 120_000, UPSTREAM_IDLE_TIMEOUT_MS: 60_000 } },
      ...{ upstream: { send }, watch: { began: () => undefined } },
    } as unknown as RelayParts;
    const host = { call: calling(model) } as unknown as AttemptHost;
    const target = { channelId: 1, channel: { id: 1, setting } } as unknown as Target;
    new OpenAttempt(parts, host, target, {} as Outgoing, {} as Asked).start();
    expect(asked).toMatchObject([{ firstByteTimeoutMs: first, idleTimeoutMs: idle }]);
  },
);

test('an upstream that is asked again may compress, as when it was asked first', async () => {
  const send: UpstreamClient['send'] = (_request, events) => {
    const sink = events.head(200, { 'content-encoding': 'gzip' }) ?? events;
    sink.data(gzipSync('{"status":"done"}'));
    sink.end();
    return { sent: true, abort: () => undefined, pause: () => undefined, resume: () => undefined };
  };
  const parts = { clock: new FakeClock(0), env: {}, upstream: { send } } as unknown as RelayParts;
  const target = { channelId: 1, channel: { id: 1, setting: {} } } as unknown as Target;
  const attempt = new OpenAttempt(
    parts,
    { call: calling('m') } as unknown as AttemptHost,
    target,
    { ...outgoing },
    asking(false),
  );
  const pieces: Buffer[] = [];
  await new Promise<void>((end, fault) => {
    const sink: BodySink = { data: (piece) => pieces.push(piece), end, fault };
    attempt.askAgain(new URL('https://upstream.test/tasks/1'), sink, () => sink);
  });
  expect(String(Buffer.concat(pieces))).toBe('{"status":"done"}');
});

/** Of a stream whose head has come: how it is watched, and who hears its pieces. */
function watched(model: string) {
  let sink: BodySink | undefined;
  let come: () => void = () => undefined;
  const send: UpstreamClient['send'] = (_request, events) => {
    come = () => {
      sink = events.head(200, { 'content-type': 'text/event-stream' });
    };
    return { sent: true, abort, pause: () => undefined, resume: () => undefined };
  };
  const [abort, ended] = [vi.fn(), vi.fn<AttemptHost['ended']>()];
  const caller = {
    gone: false,
    note: () => undefined,
    startStream: () => undefined,
    write: () => true,
    passage: () => undefined,
    end: () => undefined,
  };
  const settle = vi.fn<AttemptHost['settle']>();
  const host = {
    ...{ call: calling(model), caller, elapsedMs: () => 0, win: () => true, dispatch: async () => true },
    ...{ settle, ended },
  } as unknown as AttemptHost;
  const parts = {
    ...{ clock: new FakeClock(0), env: { UPSTREAM_IDLE_TIMEOUT_MS: 120_000 }, upstream: { send } },
    watch: { began: () => undefined, alive: () => undefined },
  } as unknown as RelayParts;
  const target = {
    channelId: 1,
    channel: { id: 1, type: 1, key: 'k', statusMapping: new Map(), setting: {} },
  } as unknown as Target;
  const attempt = new OpenAttempt(parts, host, target, { ...outgoing }, asking(true));
  attempt.start();
  come();
  const hears = async (event: object) => {
    sink?.data(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    await turnsEnd();
  };
  const says = (delta: object) => hears({ choices: [{ index: 0, delta }] });
  return { attempt, hears, says, settle, ended, abort, more: (text: string) => sink?.data(Buffer.from(text)) };
}

test('a model that thinks long may do so behind its head and an event without a word; once it speaks, silence is as short as ever', async () => {
  const { attempt, says } = watched('o3-deep-research');
  expect([1, 800_001].map((nowMs) => attempt.isStuck(nowMs))).toEqual([false, false]);
  await says({ role: 'assistant', content: '' });
  expect([800_001, 1_600_001].map((nowMs) => attempt.isStuck(nowMs))).toEqual([false, false]);
  await says({ content: 'Hello' });
  expect([1_600_001, 1_720_001, 1_720_002].map((nowMs) => attempt.isStuck(nowMs))).toEqual([false, false, true]);
  const other = watched('gpt-4o').attempt;
  expect([1, 120_001, 120_002].map((nowMs) => other.isStuck(nowMs))).toEqual([false, false, true]);
});

test.each([
  ['invalid_request_error', false],
  ['image_generation_user_error', false],
  ['server_error', true],
  ['overloaded_error', true],
])('an error within an answer speaks against its channel unless the request was to blame: %s', async (type, brokenOff) => {
  const { hears, says, settle } = watched('gpt-4o');
  await says({ content: 'Hello' });
  await hears({ error: { message: 'no', type } });
  expect(settle.mock.calls).toMatchObject([[{}, { text: 'Hello' }, { cut: 'upstream_broke_off', brokenOff }]]);
});

test('an answer that took too long before its first word goes to another channel, as one that was silent does', async () => {
  const { attempt, settle, ended, abort } = watched('gpt-4o');
  attempt.timeOut();
  await turnsEnd();
  const fault = { code: 'upstream_timeout', retryable: true, isEmpty: true, evidence: { code: 'total' } };
  expect(ended.mock.calls).toMatchObject([[attempt, { kind: 'fault', fault }]]);
  expect([settle.mock.calls.length, abort.mock.calls.length]).toEqual([0, 1]);
});

test('an upstream that goes on behind the end of its answer is heard for a little while only', async () => {
  const { says, more, settle, abort } = watched('gpt-4o');
  await says({ content: 'Hello' });
  more('data: [DONE]\n\n');
  for (let piece = 1; piece <= 16; piece += 1) more(': still here\n\n');
  expect([settle.mock.calls.length, abort.mock.calls.length]).toEqual([1, 0]);
  more(': still here\n\n');
  expect(abort.mock.calls.length).toBe(1);
});
