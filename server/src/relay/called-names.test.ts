import type { chat } from '@tollgate/wire';
import { expect, test } from 'vitest';
import type { AnswerTransform } from './answer-plan.ts';
import { callerNames, inSeries } from './called-names.ts';

const names = callerNames((name) => (name === 'a_b' ? 'a.b' : name));
const call: chat.Part = { kind: 'tool-call', id: 'c', name: 'a_b', arguments: '{}' };
const text: chat.Part = { kind: 'text', text: 'a_b' };

test('calls come under the names that the caller knows, whole and streamed', () => {
  const response = { id: 'i', model: 'm', answers: [{ parts: [text, call] }] };
  expect(names.response(response).answers).toEqual([{ parts: [text, { ...call, name: 'a.b' }] }]);
  const change = names.events();
  const at = { choice: 0, part: 1 };
  expect(change({ kind: 'whole', ...at, value: call })).toMatchObject([{ value: { name: 'a.b' } }]);
  expect(change({ kind: 'part-start', ...at, head: { kind: 'tool-call', id: 'c', name: 'a_b' } })).toMatchObject([
    { head: { id: 'c', name: 'a.b' } },
  ]);
  const delta = { kind: 'delta', ...at, text: 'a_b' } as const;
  expect(change(delta)).toEqual([delta]);
});

test('of two changes the second sees what the first made', () => {
  const doubled: AnswerTransform = {
    response: (response) => ({ ...response, answers: [...response.answers, ...response.answers] }),
    events: () => (event) => [event, event],
  };
  expect(inSeries(undefined, undefined)).toBeUndefined();
  expect(inSeries(names, undefined)).toBe(names);
  const both = inSeries(doubled, names);
  expect(both?.events()({ kind: 'whole', choice: 0, part: 0, value: call })).toMatchObject([
    { value: { name: 'a.b' } },
    { value: { name: 'a.b' } },
  ]);
  expect(both?.response({ id: 'i', model: 'm', answers: [{ parts: [call] }] }).answers).toMatchObject([
    { parts: [{ name: 'a.b' }] },
    { parts: [{ name: 'a.b' }] },
  ]);
});
