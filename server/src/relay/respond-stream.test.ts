import { setImmediate as turnsEnd } from 'node:timers/promises';
import { anthropicMessages, openaiChat, type Tap } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import { UpstreamFault } from '../platform/http/client.ts';
import type { Passage } from '../platform/http/served.ts';
import type { AttemptResult } from './attempt.ts';
import type { Caller } from './caller.ts';
import { createDrains } from './drains.ts';
import { localFault } from './faults.ts';
import { createOpaqueTap } from './opaque-tap.ts';
import { StreamResponder } from './respond-stream.ts';
import type { AnswerContext, AnswerOutcome, Report } from './responder.ts';

const word = (text: string) => Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`);
const unused = () => {
  throw new Error('not expected');
};

/** A stream whose first word has gone out, and every write since. */
async function flowing(
  options: {
    isReady?: boolean;
    coalesceMs?: number;
    drainMs?: number;
    mayDrain?: boolean;
    hasPassage?: boolean;
    tap?: Tap;
    contentType?: string;
    startStream?: () => void;
    first?: Buffer;
    tookRoom?: boolean;
  } = {},
) {
  const writes: string[] = [];
  const lentWrites: string[] = [];
  const paused: boolean[] = [];
  const ended: AttemptResult[] = [];
  const reports: Report[] = [];
  const outcomes: AnswerOutcome[] = [];
  const drains = createDrains(options.mayDrain === false ? 0 : 1);
  const aborted: boolean[] = [];
  let drained = unused as () => void;
  let left = unused as () => void;
  const caller: Caller = {
    ...{ headSent: true, gone: false, lastWriteMs: 0, startStream: options.startStream ?? (() => undefined) },
    ...{ end: () => void writes.push('end'), answer: unused, note: unused },
    fail: ({ code }) => void writes.push('fail', ...(code === 'stream_response_error' ? [] : [code])),
    onGone: (listener) => {
      left = listener;
    },
    write(bytes) {
      writes.push(bytes.toString());
      return options.isReady ?? true;
    },
    passage: () => (options.hasPassage === true ? passage : undefined),
    onTaken: unused,
    onDrain: (listener) => {
      drained = listener;
    },
  };
  const passage: Passage = {
    writes: 0,
    chunk(bytes, from, to) {
      lentWrites.push(bytes.toString('utf8', from, to));
      return options.isReady ?? true;
    },
  };
  let nowMs = 100;
  const open: AnswerContext = {
    ...{ caller, coalesceMs: options.coalesceMs ?? 0, elapsedMs: () => nowMs, dispatch: () => Promise.resolve(true) },
    tookRoom: options.tookRoom ?? false,
    takeRoom: () => false,
    settle(report, outcome) {
      reports.push(report);
      outcomes.push(outcome);
      return Promise.resolve({ prompt: 1, completion: 1 } as Awaited<ReturnType<AnswerContext['settle']>>);
    },
    ...{ drainMs: options.drainMs ?? 0, startDraining: drains.enter },
    ...{ upstreamFault: unused, okFault: unused, askAgain: unused, declareLosses: unused, streamed: unused },
    resolveAttempt: (result) => void ended.push(result),
  };
  const upstream = {
    sent: true,
    abort: () => void aborted.push(true),
    pause: () => void paused.push(true),
    resume: () => void paused.push(false),
  };
  const tap = options.tap ?? openaiChat.dialect.createTap({ swallowUsage: false });
  const responder = new StreamResponder(open, upstream, tap, options.contentType);
  responder.data(options.first ?? word('first'));
  await turnsEnd();
  await turnsEnd();
  writes.length = 0;
  paused.length = 0;
  const lend = (text: string) => {
    const bytes = Buffer.from(`before${text}behind`);
    return responder.lent(bytes, 6, 6 + Buffer.byteLength(text));
  };
  const atMs = (ms: number) => {
    nowMs = ms;
  };
  return {
    responder,
    writes,
    lentWrites,
    paused,
    ended,
    aborted,
    reports,
    outcomes,
    drains,
    lend,
    atMs,
    drain: () => drained(),
    leave: () => left(),
  };
}

test('a head that cannot be sent ends the attempt and the upstream, and nothing else', async () => {
  const error = new RangeError('no header can hold this');
  const startStream = () => {
    throw error;
  };
  const { ended, aborted, writes } = await flowing({ startStream });
  expect([ended, aborted, writes]).toEqual([[{ kind: 'broken', error }], [true], []]);
});

test('an event beyond the bound was made all the same: nobody else is asked to make it once more', async () => {
  const { ended, responder } = await flowing({
    tap: openaiChat.dialect.createTap({ swallowUsage: false, maxFrameBytes: 20 }),
    first: word('first').subarray(0, 40),
  });
  responder.data(Buffer.from('more of it'));
  expect(ended).toMatchObject([{ kind: 'fault', fault: { status: 502, retryable: false } }]);
  expect(ended).not.toMatchObject([{ fault: { evidence: expect.anything() } }]);
});

/** A tap that may hold no more than the first 20 bytes of an event. */
const roomless = () => openaiChat.dialect.createTap({ swallowUsage: false, maxFrameBytes: 20, moreRoom: () => false });

test('an event for which there is no room is told as ours: come back, and no word against the channel', async () => {
  const { ended, responder } = await flowing({ tap: roomless(), first: word('first').subarray(0, 40) });
  responder.data(Buffer.from('more of it'));
  const overloaded = { status: 503, code: 'overloaded', retryable: false, retryAfterSeconds: 1 };
  expect(ended).toMatchObject([{ kind: 'fault', fault: overloaded }]);
  expect(ended).not.toMatchObject([{ fault: { evidence: expect.anything() } }]);
});

test('where the answer has begun, what went out is charged, and the error ends it and its upstream', async () => {
  const { ended, responder, writes, reports, outcomes, aborted } = await flowing({ tap: roomless() });
  for (const piece of [word('a').subarray(0, 40), Buffer.from('more of it')]) responder.data(piece);
  await turnsEnd();
  expect([writes, ended]).toEqual([['fail', 'overloaded'], [{ kind: 'answered' }]]);
  expect(reports).toMatchObject([{ text: 'first' }]);
  expect(outcomes).toMatchObject([{ cut: 'gateway', brokenOff: false }]);
  expect(aborted).toEqual([true]);
});

test('an answer that says more of a part than can be kept is cut, its caller told and its upstream closed', async () => {
  const event = (more: object) => Buffer.from(`data: ${JSON.stringify({ index: 0, ...more })}\n\n`);
  const { responder, writes, outcomes, aborted } = await flowing({
    tap: anthropicMessages.dialect.createTap({ swallowUsage: false }),
    first: event({ type: 'content_block_start', content_block: { type: 'thinking', thinking: 'a' } }),
  });
  const piece = event({ type: 'content_block_delta', delta: { type: 'signature_delta', signature: 'x'.repeat(1024 * 1024) } });
  for (let turn = 1; turn <= 5; turn += 1) responder.data(piece);
  await turnsEnd();
  expect([writes.at(-1), aborted, outcomes]).toMatchObject(['fail', [true], [{ cut: 'gateway', brokenOff: false }]]);
});

test.each([
  ['caller_left', (responder: StreamResponder) => responder.gone()],
  ['upstream_broke_off', (responder: StreamResponder) => responder.end()],
  ['upstream_broke_off', (responder: StreamResponder) => responder.fault(new UpstreamFault('reset', 'gone'))],
  ['timeout', (responder: StreamResponder) => responder.fault(new UpstreamFault('timeout', 'idle'))],
  ['timeout', (responder: StreamResponder) => responder.interrupt(localFault('upstream_timeout'))],
  ['quota', (responder: StreamResponder) => responder.interrupt(localFault('stream_quota_exhausted'))],
  ['gateway', (responder: StreamResponder) => responder.interrupt(localFault('shutting_down'))],
  [undefined, (responder: StreamResponder) => responder.data(Buffer.from('data: [DONE]\n\n'))],
])('an answer that was cut off says by whom: %s', async (cut, end) => {
  const { responder, outcomes } = await flowing();
  end(responder);
  await turnsEnd();
  expect(outcomes.map((outcome) => outcome.cut)).toEqual([cut]);
});

describe('a large answer whose caller reads slowly', () => {
  const last = Buffer.concat([word('a'), Buffer.from('data: [DONE]\n\n')]);

  test.each(['drain', 'leave'] as const)('is over when it was taken, or its caller has left: %s', async (how) => {
    const { responder, writes, ended, ...rest } = await flowing({ isReady: false, tookRoom: true });
    rest.drain();
    responder.data(last);
    await turnsEnd();
    expect([writes, ended]).toEqual([[String(last)], []]);
    rest[how]();
    await turnsEnd();
    expect([writes, ended]).toEqual([[String(last), 'end'], [{ kind: 'answered' }]]);
  });

  test('that was paused when its upstream ended, too, and nobody waits for a drain that has been', async () => {
    const { responder, writes, ended, drain } = await flowing({ isReady: false, tookRoom: true });
    responder.end();
    await turnsEnd();
    expect([writes, ended]).toEqual([[], []]);
    drain();
    await turnsEnd();
    expect(ended).toEqual([{ kind: 'answered' }]);
    const other = await flowing({ isReady: false, tookRoom: true });
    other.responder.end();
    other.drain();
    await turnsEnd();
    expect(other.ended).toEqual([{ kind: 'answered' }]);
  });

  test('one that took no room ends at once', async () => {
    const { responder, writes, drain } = await flowing({ isReady: false });
    drain();
    responder.data(last);
    await turnsEnd();
    expect(writes).toEqual([String(last), 'end']);
  });
});

test('who cannot read a piece charges what went out, and the upstream hears no more', async () => {
  const { responder, ended, aborted, writes } = await flowing();
  responder.data(undefined as unknown as Buffer);
  await turnsEnd();
  expect([aborted, writes, ended]).toEqual([[true], ['fail'], [{ kind: 'answered' }]]);
});

test('the meter counts an event as a token, and as many as its text has bytes for', async () => {
  const { responder } = await flowing();
  for (let k = 0; k < 4; k += 1) responder.data(word('a'));
  expect(responder.metered).toBe(5);
  for (let k = 0; k < 4; k += 1) responder.data(word('b'.repeat(400)));
  expect(responder.metered).toBe(Math.ceil(('first'.length + 4 + 4 * 400) / 4));
});

describe('what an answer has surely said', () => {
  const thought = (text: string) => Buffer.from(word(text).toString().replace('"content"', '"reasoning_content"'));

  test('is the smaller of its events and its text, thoughts before it aside', async () => {
    const { responder } = await flowing({ first: thought('hm') });
    for (let k = 0; k < 50; k += 1) responder.data(thought('and so on'));
    expect([responder.metered, responder.answered]).toEqual([Math.ceil((2 + 50 * 9) / 4), 0]);
    for (let k = 0; k < 10; k += 1) responder.data(word('four'));
    expect(responder.answered).toBe(10);
    for (let k = 0; k < 10; k += 1) responder.data(thought('more'));
    expect(responder.answered).toBe(20);
    responder.data(word('p'.repeat(4_000)));
    expect(responder.answered).toBe(2 + 50 + 10 + 10);
  });

  test('in a dialect whose events are read one by one as well', async () => {
    const sent = (type: string, more: object) =>
      Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, index: 0, ...more })}\n\n`);
    const begun = (kind: string) => sent('content_block_start', { content_block: { type: kind, [kind]: '' } });
    const delta = (kind: string) => sent('content_block_delta', { delta: { type: `${kind}_delta`, [kind]: 'four' } });
    const { responder } = await flowing({
      tap: anthropicMessages.dialect.createTap({ swallowUsage: false }),
      first: begun('thinking'),
    });
    for (let k = 0; k < 30; k += 1) responder.data(delta('thinking'));
    expect(responder.answered).toBe(0);
    responder.data(sent('content_block_stop', {}));
    responder.data(begun('text'));
    for (let k = 0; k < 20; k += 1) responder.data(delta('text'));
    expect(responder.answered).toBe(20);
  });
});

test('pieces of sound are no tokens: nothing is held for them', async () => {
  const { responder, writes } = await flowing({ tap: createOpaqueTap(), contentType: 'audio/mpeg' });
  for (let k = 0; k < 9; k += 1) responder.data(Buffer.from('sound'));
  expect([writes.length, responder.metered, responder.answered]).toEqual([9, 0, 0]);
});

test('each piece goes out as it comes', async () => {
  const { responder, writes } = await flowing();
  for (const text of ['a', 'b', 'c']) responder.data(word(text));
  expect(writes).toEqual([word('a'), word('b'), word('c')].map(String));
});

test('where pieces wait for others the first one after a rest does not, and what fills a write goes out at once', async () => {
  const { responder, writes, atMs } = await flowing({ coalesceMs: 20 });
  atMs(125);
  for (const text of ['a', 'b', 'c']) responder.data(word(text));
  expect(writes).toEqual([String(word('a'))]);
  const large = word('x'.repeat(9_000));
  for (let k = 0; k < 2; k += 1) responder.data(large);
  expect(writes.slice(1)).toEqual([`${word('b')}${word('c')}${large}${large}`]);
});

test('an ordinary piece takes the passage, in bytes that are lent; everything else is pushed', async () => {
  const { lend, writes, lentWrites } = await flowing({ hasPassage: true });
  expect([lend(String(word('a'))), lend(': ping\n\n'), lend('data: [DONE]\n\n'), lend(String(word('b')))]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect([writes, lentWrites]).toEqual([[], [word('a'), word('b')].map(String)]);
});

test.each([{ hasPassage: false }, { hasPassage: true, coalesceMs: 20 }])(
  'nothing is lent where there is no passage or pieces wait: %o',
  async (options) => {
    const { lend } = await flowing(options);
    expect(lend(String(word('a')))).toBe(false);
  },
);

test('after the end, or when the caller has left, nothing is lent', async () => {
  const ended = await flowing({ hasPassage: true });
  ended.responder.data(Buffer.from('data: [DONE]\n\n'));
  const left = await flowing({ hasPassage: true });
  left.responder.gone();
  expect([ended, left].map(({ lend }) => lend(String(word('a'))))).toEqual([false, false]);
});

test('a caller who reads slowly stops the upstream until its connection has room', async () => {
  const { responder, paused, lend, drain } = await flowing({ isReady: false, hasPassage: true });
  // The first word was not taken either.
  drain();
  paused.length = 0;
  responder.data(word('a'));
  expect(paused).toEqual([true]);
  drain();
  expect(paused).toEqual([true, false]);
  lend(String(word('b')));
  drain();
  expect(paused).toEqual([true, false, true, false]);
});

test('the end waits for its charge and comes behind everything before it', async () => {
  const { responder, writes } = await flowing();
  responder.data(word('a'));
  responder.data(Buffer.from('data: [DONE]\n\n'));
  expect(writes).toEqual([word('a').toString()]);
  await turnsEnd();
  expect(writes).toEqual([word('a').toString(), 'data: [DONE]\n\n', 'end']);
});

test('an event and a comment are progress, bytes of what never ends are none, and a slow caller is not the upstream’s fault', async () => {
  const options = { isReady: true };
  const { responder } = await flowing(options);
  responder.advanced();
  expect(responder.advanced()).toBe(false);
  responder.data(Buffer.from(': at it\n\n'));
  expect([responder.advanced(), responder.advanced()]).toEqual([true, false]);
  for (const byte of 'data: {"choices"') {
    responder.data(Buffer.from(byte));
    expect(responder.advanced()).toBe(false);
  }
  options.isReady = false;
  responder.data(Buffer.from(':[{"index":0,"delta":{"content":"x"}}]}\n\n'));
  expect([responder.advanced(), responder.advanced(), responder.advanced()]).toEqual([true, true, true]);
});

const figures = Buffer.from(
  `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":99}}\n\ndata: [DONE]\n\n`,
);

test('the upstream of a caller who left is read on where its channel says so, until its figures are there', async () => {
  const { responder, writes, ended, aborted, reports, drains } = await flowing({ drainMs: 5_000 });
  responder.gone();
  expect([aborted, drains.enter()]).toEqual([[], undefined]);
  responder.data(word(' second'));
  responder.data(figures);
  await turnsEnd();
  expect(writes).toEqual([]);
  expect(reports).toMatchObject([{ usage: { prompt: 9, completion: 99 } }]);
  expect(ended).toEqual([{ kind: 'answered' }]);
  expect(drains.enter()).toBeDefined();
});

test.each([
  ['figures that do not come in time', { drainMs: 20 }, 200],
  ['too many who wait for theirs', { drainMs: 5_000, mayDrain: false }, 0],
  ['a channel that says nothing of it', {}, 0],
])('%s: what was delivered is charged, and the upstream is cut off', async (_, options, waitMs) => {
  const { responder, ended, aborted, reports } = await flowing(options);
  responder.gone();
  if (waitMs > 0) responder.data(word(' second'));
  await expect.poll(() => ended).toEqual([{ kind: 'answered' }]);
  expect([reports.map(({ usage, text }) => [usage, text]), aborted]).toEqual([[[undefined, 'first']], [true]]);
});

test.each(['shutting_down', 'stream_quota_exhausted', 'upstream_timeout'] as const)(
  'an answer that is read on for a caller who left was cut off by its caller, whatever ends the reading: %s',
  async (code) => {
    const { responder, outcomes, aborted, writes, drains } = await flowing({ drainMs: 5_000 });
    responder.gone();
    responder.interrupt(localFault(code));
    await turnsEnd();
    expect([outcomes.map(({ cut }) => cut), aborted, writes]).toEqual([['caller_left'], [true], []]);
    expect(drains.enter()).toBeDefined();
  },
);
