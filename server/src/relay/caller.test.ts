import { expect, test } from 'vitest';
import type { Answer } from '../platform/http/served.ts';
import { createCaller, type ErrorDialect } from './caller.ts';

const unused = () => {
  throw new Error('not expected');
};
const dialect: ErrorDialect = { body: unused, event: unused };

test('a part that takes the passage counts as written when somebody asks, those of earlier answers do not', () => {
  let nowMs = 100;
  const passage = { writes: 7, chunk: unused };
  const answer: Answer = {
    ...{ headSent: true, gone: false, head: unused, write: () => true, passage: () => passage, end: unused },
    ...{ whole: unused, destroy: unused, onDrain: unused, onGone: unused },
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
