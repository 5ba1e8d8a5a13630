import { expect, test } from 'vitest';
import type { Answer } from '../platform/http/served.ts';
import { createCaller, type ErrorDialect } from './caller.ts';
import { localFault } from './faults.ts';

const unused = () => {
  throw new Error('not expected');
};
const dialect: ErrorDialect = { idHeader: 'request-id', body: unused, event: unused };

test('a part that takes the passage counts as written when somebody asks, those of earlier answers do not', () => {
  let nowMs = 100;
  const passage = { writes: 7, chunk: unused };
  const answer: Answer = {
    ...{ headSent: true, gone: false, head: unused, write: () => true, passage: () => passage, end: unused },
    ...{ whole: unused, destroy: unused, onDrain: unused, onTaken: unused, onGone: unused },
  };
  const caller = createCaller(answer, 'id', dialect, () => nowMs);
  nowMs = 200;
  expect(caller.passage()).toBe(passage);
  expect(caller.lastWriteMs).toBe(100);
  passage.writes += 1;
  nowMs = 300;
  expect(caller.lastWriteMs).toBe(300);
  nowMs = 400;
  expect(caller.lastWriteMs).toBe(300);
  caller.write('x');
  expect(caller.lastWriteMs).toBe(400);
});

test('no answer of an upstream becomes a page of ours, whatever it calls it', () => {
  const types: unknown[] = [];
  const answer: Answer = {
    ...{ headSent: false, gone: false, write: () => true, passage: unused, end: unused },
    ...{ destroy: unused, onDrain: unused, onTaken: unused, onGone: unused },
    head: (_, headers) => void types.push(headers['content-type']),
    whole: (_, headers) => void types.push(headers['content-type']),
  };
  const typesOf = (type: string) => {
    types.length = 0;
    const caller = createCaller(answer, 'id', dialect, () => 0);
    caller.answer(200, '{}', type);
    caller.startStream(type);
    return [...types];
  };
  const pages = [
    'text/html',
    'Text/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'multipart/x-mixed-replace',
  ];
  for (const type of pages) expect(typesOf(type), type).toEqual(['text/plain; charset=utf-8', 'application/octet-stream']);
  const kept = [
    ...[
      'application/json',
      'application/json; charset=UTF-8',
      'application/problem+json',
      'text/event-stream',
      'text/plain;charset=utf-8',
    ],
    ...['text/vtt', 'application/x-subrip', 'audio/mpeg', 'video/mp4', 'image/png', 'application/octet-stream'],
  ];
  for (const type of kept) expect(typesOf(type), type).toEqual([type, type]);
});

test('clients are told not to repeat a call that would fail again, and nothing of other failures', () => {
  const heads: unknown[] = [];
  const answer: Answer = {
    ...{ headSent: false, gone: false, head: unused, write: () => true, passage: unused, end: unused },
    ...{ destroy: unused, onDrain: unused, onTaken: unused, onGone: unused },
    whole: (status, headers) => void heads.push([status, headers['x-should-retry']]),
  };
  const caller = createCaller(answer, 'id', { ...dialect, body: () => '{}' }, () => 0);
  caller.fail(localFault('no_channel', {}, { isLasting: true }));
  caller.fail(localFault('no_channel'));
  expect(heads).toEqual([
    [503, 'false'],
    [503, undefined],
  ]);
});

test('what came with a session is not for pages of other origins, neither whole nor in parts (R-24)', () => {
  const heads: (readonly string[])[] = [];
  const answer: Answer = {
    ...{ headSent: false, gone: false, write: () => true, passage: unused, end: unused },
    ...{ destroy: unused, onDrain: unused, onTaken: unused, onGone: unused },
    head: (_, headers) => void heads.push(Object.keys(headers)),
    whole: (_, headers) => void heads.push(Object.keys(headers)),
  };
  const say = (isOpen: boolean) => {
    const caller = createCaller(answer, 'id', dialect, () => 0, isOpen);
    caller.answer(200, '{}');
    caller.startStream();
    return heads.splice(0).map((names) => names.filter((name) => name.startsWith('access-control-')).length > 0);
  };
  expect(say(true)).toEqual([true, true]);
  expect(say(false)).toEqual([false, false]);
});
