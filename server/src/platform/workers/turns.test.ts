import { expect, test } from 'vitest';
import { createTurnsOfWorkers } from './turns.ts';

const settled = () => new Promise(setImmediate);

test('turns come one at a time, in the order in which they were asked for', async () => {
  const turns = createTurnsOfWorkers();
  const had: string[] = [];
  for (const [from, ticket] of [
    [1, 1],
    [2, 1],
    [1, 2],
  ] as const)
    void turns.turn(from, ticket).then(() => had.push(`${from}/${ticket}`));
  await settled();
  expect(had).toEqual(['1/1']);
  turns.turned(1, 1);
  await settled();
  expect(had).toEqual(['1/1', '2/1']);
  turns.turned(2, 1);
  await settled();
  expect(had).toEqual(['1/1', '2/1', '1/2']);
});

test('who gave up waiting is passed over, and the turns of a worker that died are over', async () => {
  const turns = createTurnsOfWorkers();
  const had: number[] = [];
  for (const from of [1, 2, 3, 4]) void turns.turn(from, 1).then(() => had.push(from));
  turns.turned(2, 1);
  turns.gone(1);
  await settled();
  expect(had).toEqual([1, 3]);
  turns.turned(2, 1);
  turns.gone(3);
  await settled();
  expect(had).toEqual([1, 3, 4]);
});
