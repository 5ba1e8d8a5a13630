import { setImmediate as turnsEnd } from 'node:timers/promises';
import { openaiChat } from '@tollgate/wire';
import { expect, test } from 'vitest';
import type { Caller } from './caller.ts';
import { StreamResponder } from './respond-stream.ts';
import type { AnswerContext } from './responder.ts';

const word = (text: string) => Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`);
const unused = () => {
  throw new Error('not expected');
};

/** A stream whose first word has gone out, and every write since. */
async function flowing(options: { isReady?: boolean } = {}) {
  const writes: string[] = [];
  const paused: boolean[] = [];
  let drained = unused as () => void;
  const caller: Caller = {
    ...{ headSent: true, gone: false, lastWriteMs: 0, startStream: () => undefined },
    ...{ end: () => void writes.push('end'), answer: unused, note: unused, fail: unused, onGone: unused },
    write(bytes) {
      writes.push(bytes.toString());
      return options.isReady ?? true;
    },
    onDrain: (listener) => {
      drained = listener;
    },
  };
  const open: AnswerContext = {
    ...{ caller, coalesceMs: 0, elapsedMs: () => 0, dispatch: () => Promise.resolve(true) },
    settle: () => Promise.resolve({ prompt: 1, completion: 1 } as Awaited<ReturnType<AnswerContext['settle']>>),
    ...{ upstreamFault: unused, okFault: unused, askAgain: unused, declareLosses: unused, resolveAttempt: () => undefined },
  };
  const upstream = { abort: unused, pause: () => void paused.push(true), resume: () => void paused.push(false) };
  const responder = new StreamResponder(open, upstream, openaiChat.createTap({ swallowUsage: false }));
  responder.data(word('first'));
  await turnsEnd();
  await turnsEnd();
  writes.length = 0;
  paused.length = 0;
  return { responder, writes, paused, drain: () => drained() };
}

test('what comes of a stream in one turn of the loop goes out in one write, in its order', async () => {
  const { responder, writes } = await flowing();
  for (const text of ['a', 'b', 'c']) responder.data(word(text));
  expect(writes).toEqual([]);
  await turnsEnd();
  expect(writes).toEqual([`${word('a')}${word('b')}${word('c')}`]);
  responder.data(word('d'));
  await turnsEnd();
  expect(writes.slice(1)).toEqual([word('d').toString()]);
});

test('a turn that brings much does not keep it: what fills a write goes out at once', async () => {
  const { responder, writes } = await flowing();
  const large = word('x'.repeat(9_000));
  for (let k = 0; k < 4; k += 1) responder.data(large);
  expect(writes.map(({ length }) => length)).toEqual([2 * large.length, 2 * large.length]);
  await turnsEnd();
  expect(writes).toHaveLength(2);
});

test('a caller who reads slowly stops the upstream until its connection has room', async () => {
  const { responder, paused, drain } = await flowing({ isReady: false });
  // The first word was not taken either.
  drain();
  paused.length = 0;
  responder.data(word('a'));
  expect(paused).toEqual([]);
  await turnsEnd();
  expect(paused).toEqual([true]);
  drain();
  expect(paused).toEqual([true, false]);
});

test('the end waits for its charge and comes behind everything of its turn', async () => {
  const { responder, writes } = await flowing();
  responder.data(word('a'));
  responder.data(Buffer.from('data: [DONE]\n\n'));
  expect(writes).toEqual([word('a').toString()]);
  await turnsEnd();
  expect(writes).toEqual([word('a').toString(), 'data: [DONE]\n\n', 'end']);
});
