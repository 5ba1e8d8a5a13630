import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type BodySink, UpstreamFault } from '../platform/http/client.ts';
import type { AnswerPlan } from './answer-plan.ts';
import type { AttemptResult } from './attempt.ts';
import { JsonResponder } from './respond-json.ts';
import type { AnswerContext } from './responder.ts';

const url = new URL('https://x.test/tasks/1');
const pending = Buffer.from('pending');
const done = Buffer.from('done');
/** What an upstream answers to a question after its background work: a status and a body, or nothing. */
type Said = readonly [status: number, body: Buffer] | 'cut';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each of the answers in turn, then `done` for ever. */
async function asked(...answers: Said[]) {
  const results: (AttemptResult | Buffer)[] = [];
  let aborted = 0;
  const upstream = { abort: () => (aborted += 1) };
  const open = {
    settle: async () => undefined,
    elapsedMs: () => 0,
    streamed: () => undefined,
    caller: { answer: (_status: number, body: Buffer) => results.push(body) },
    resolveAttempt: (result: AttemptResult) => results.push(result),
    okFault: () => 'refused',
    askAgain(_url: URL, sink: BodySink, sinkFor: (status: number) => BodySink) {
      const said = answers.shift() ?? [200, done];
      queueMicrotask(() => {
        if (said === 'cut') return sink.fault(new UpstreamFault('reset', 'cut'));
        const body = sinkFor(said[0]);
        body.data(said[1]);
        body.end();
      });
      return upstream;
    },
  } as unknown as AnswerContext;
  const read = (body: Buffer) => {
    const text = body.toString();
    if (text === 'pending') return { kind: 'pending', url, afterMs: 10 };
    if (text !== 'done') return { kind: 'error', error: {} };
    return { kind: 'answer', usage: undefined, body: undefined, text: () => '' };
  };
  const responder = new JsonResponder(open, upstream as never, { read } as unknown as AnswerPlan, undefined);
  responder.data(pending);
  responder.end();
  await vi.advanceTimersByTimeAsync(1_000);
  return { results, aborted };
}

const busy: Said = [429, Buffer.from('busy')];

test('what an upstream makes in the background is asked for again where one question failed', async () => {
  for (const answers of [[], [busy], ['cut'], [busy, 'cut', [200, pending], busy, 'cut', busy, 'cut', [503, done]]] as Said[][]) {
    const { results, aborted } = await asked(...answers);
    expect(results).toEqual([done, { kind: 'answered' }]);
    expect(aborted).toBe(answers.filter((said) => said === 'cut' || said[0] !== 200).length);
  }
});

test('what is refused for good, or never answered again, ends the call', async () => {
  const { results } = await asked([401, Buffer.from('no')]);
  expect(results).toEqual([{ kind: 'fault', fault: 'refused' }]);
  expect((await asked(...Array.from({ length: 9 }, () => busy))).results).toEqual([{ kind: 'fault', fault: 'refused' }]);
  expect((await asked(...Array.from({ length: 9 }, () => 'cut' as const))).results).toMatchObject([{ kind: 'fault' }]);
});

const mebibyte = 1024 * 1024;

/** An answer of so many MiB, in pieces of one, while there is room for so many beyond what is its own. */
function large(answerMiB: number, roomMiB: number) {
  const results: (AttemptResult | number)[] = [];
  const taken: number[] = [];
  const waiting: (() => void)[] = [];
  let aborted = 0;
  const caller = {
    answer: (_status: number, body: Buffer) => results.push(body.length / mebibyte),
    onTaken: (listener: () => void) => waiting.push(listener),
  };
  const open = {
    settle: async () => undefined,
    elapsedMs: () => 0,
    streamed: () => undefined,
    caller,
    get tookRoom() {
      return taken.length > 0;
    },
    resolveAttempt: (result: AttemptResult) => results.push(result),
    takeRoom(bytes: number) {
      taken.push(bytes / mebibyte);
      return taken.reduce((sum, each) => sum + each, 0) <= roomMiB;
    },
  } as unknown as AnswerContext;
  const read = () => ({ kind: 'answer', usage: undefined, body: undefined, text: () => '' });
  const upstream = { abort: () => (aborted += 1) };
  const responder = new JsonResponder(open, upstream as never, { read } as unknown as AnswerPlan, undefined);
  const piece = Buffer.alloc(mebibyte, ' ');
  for (let sent = 0; sent < answerMiB; sent += 1) responder.data(piece);
  return { results, taken, waiting, responder, aborted: () => aborted };
}

test('F-32: an answer that took room keeps it until its caller has taken it; another one is over at once', async () => {
  const [small, whole] = [large(4, 44), large(5, 44)];
  for (const { responder } of [small, whole]) responder.end();
  await vi.advanceTimersByTimeAsync(1);
  expect([small.results, whole.results]).toEqual([[4, { kind: 'answered' }], [5]]);
  whole.waiting[0]?.();
  expect(whole.results).toEqual([5, { kind: 'answered' }]);
});

test('F-32: what nobody is sent any more keeps no room', async () => {
  const left = large(5, 44);
  left.responder.gone();
  await vi.advanceTimersByTimeAsync(1);
  expect([left.results, left.waiting]).toEqual([[{ kind: 'answered' }], []]);
});

test('F-32: an answer takes room of the bodies for what it has beyond its own, and ends where there is none', async () => {
  for (const [answerMiB, taken] of [
    [4, []],
    [5, [4]],
    [48, Array.from({ length: 11 }, () => 4)],
  ] as const) {
    const whole = large(answerMiB, 44);
    whole.responder.end();
    await vi.advanceTimersByTimeAsync(1);
    for (const tell of whole.waiting) tell();
    expect([whole.results, whole.taken, whole.aborted()]).toEqual([[answerMiB, { kind: 'answered' }], taken, 0]);
  }
  const refused = large(12, 4);
  refused.responder.end();
  const overloaded = { status: 503, code: 'overloaded', retryable: false, retryAfterSeconds: 1 };
  expect(refused.results).toMatchObject([{ kind: 'fault', fault: overloaded }]);
  expect([refused.taken, refused.aborted()]).toEqual([[4, 4], 1]);
  expect(large(49, 44).results).toMatchObject([{ kind: 'fault', fault: { code: 'upstream_error' } }]);
});
