import { encodeFrame } from '@tollgate/wire';
import { expect, test, vi } from 'vitest';
import { SocketAnswer } from './socket-answer.ts';

const delta = encodeFrame('{"type":"response.output_text.delta"}', 'response.output_text.delta');
const done = encodeFrame('{"type":"response.completed","response":{"id":"r1"}}', 'response.completed');
const item = encodeFrame('{"type":"response.output_item.done","item":{"type":"message"}}', 'response.output_item.done');

function answering({ isFull = false, hasRoom = true } = {}) {
  const sent: string[] = [];
  const send = (text: string) => {
    sent.push((JSON.parse(text) as { type: string }).type);
    return !isFull;
  };
  const answer = new SocketAnswer({ send, moreRoom: () => hasRoom, brokenOff: '{"type":"error"}' });
  answer.head();
  return { answer, sent };
}

test('frames become messages, cut where they may; what can be said again is known at the end', async () => {
  const { answer, sent } = answering();
  const whole = Buffer.concat([delta, item, done]);
  for (let at = 0; at < whole.length; at += 7) answer.write(whole.subarray(at, at + 7));
  answer.end();
  expect(await answer.over).toEqual({ responseId: 'r1', items: '{"type":"message"}' });
  expect(sent).toEqual(['response.output_text.delta', 'response.output_item.done', 'response.completed']);
});

test('who reads slower than it is written is waited for, and has taken all when nothing waits', async () => {
  const { answer } = answering({ isFull: true });
  const [drained, taken] = [vi.fn(), vi.fn()];
  expect(answer.write(delta)).toBe(false);
  answer.onDrain(drained);
  answer.end(done);
  answer.onTaken(taken);
  await Promise.resolve();
  expect([drained, taken].map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
  answer.drained();
  expect([drained, taken].map((spy) => spy.mock.calls.length)).toEqual([1, 1]);
});

test('an answer without its last event is told as broken off, and nothing comes behind the last one', async () => {
  const cut = answering();
  cut.answer.write(delta);
  cut.answer.end();
  expect(cut.sent).toEqual(['response.output_text.delta', 'error']);
  expect((await cut.answer.over).responseId).toBeUndefined();
  const late = answering();
  late.answer.write(Buffer.concat([done, delta]));
  late.answer.destroy();
  expect(late.sent).toEqual(['response.completed']);
});

test('who leaves, and an event that there is no room for, end it: the upstream is let go once', async () => {
  for (const cut of ['left', 'no room']) {
    const { answer, sent } = answering({ hasRoom: false });
    const gone = vi.fn();
    answer.onGone(gone);
    if (cut === 'left') answer.left();
    else for (let mib = 0; mib < 6; mib += 1) answer.write(Buffer.alloc(1024 * 1024, 'x'));
    answer.left();
    answer.end(done);
    expect([gone.mock.calls.length, answer.gone, sent]).toEqual([1, true, ['error']]);
    expect(await answer.over).toEqual({ responseId: undefined, items: '' });
  }
});
