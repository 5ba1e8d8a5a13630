import { expect, test } from 'vitest';
import { createTurnsOfWorkers, createWorkerTurns } from './turns.ts';

const settled = () => new Promise(setImmediate);

test('turns come one at a time, in the order in which they were asked for, and the first is asked for its own', async () => {
  const wanted: string[] = [];
  const turns = createTurnsOfWorkers((ticket) => void wanted.push(ticket));
  const had: string[] = [];
  for (const [from, ticket] of [
    [1, 'a'],
    [2, 'b'],
    [1, 'c'],
  ] as const)
    void turns.turn(from, ticket).then((how) => had.push(`${ticket} ${how}`));
  await settled();
  expect([had, wanted]).toEqual([['a alone'], ['a']]);
  turns.turned(1, 'a');
  await settled();
  expect(had).toEqual(['a alone', 'b wanted']);
  turns.turned(2, 'b');
  await settled();
  expect(had).toEqual(['a alone', 'b wanted', 'c alone']);
});

test('who gave up waiting is passed over, and the turns of a worker that died are over', async () => {
  const turns = createTurnsOfWorkers(() => undefined);
  const had: number[] = [];
  for (const from of [1, 2, 3, 4]) void turns.turn(from, `of ${from}`).then(() => had.push(from));
  turns.turned(2, 'of 2');
  turns.gone(1);
  await settled();
  expect(had).toEqual([1, 3]);
  turns.gone(3);
  await settled();
  expect(had).toEqual([1, 3, 4]);
});

test('two workers that write all the time both come to it, never at once', async () => {
  const listeners: ((ticket: unknown) => void)[] = [];
  const turns = createTurnsOfWorkers((ticket) => {
    for (const listener of listeners) setImmediate(listener, ticket);
  });
  const worker = (from: number) =>
    createWorkerTurns({
      ask: async (_kind, ticket) => (await turns.turn(from, `${from}-${ticket}`)) as never,
      tell: (_kind, ticket) => turns.turned(from, `${from}-${ticket}`),
      on: (_kind, listener) => void listeners.push((ticket) => listener(String(ticket).slice(2))),
    });
  let inside = 0;
  const bodies = [0, 0];
  const both = () => bodies.every((count) => count >= 20);
  const write = async (index: number) => {
    const inTurn = worker(index + 1);
    while (!both()) {
      await inTurn(async () => {
        inside += 1;
        expect(inside).toBe(1);
        await settled();
        inside -= 1;
        bodies[index] = (bodies[index] ?? 0) + 1;
      });
    }
  };
  await Promise.all([write(0), write(1)]);
  expect(Math.min(...bodies)).toBeGreaterThanOrEqual(20);
});

test('a turn that is wanted back in the same breath in which it is granted is handed over', async () => {
  let want: (ticket: unknown) => void = () => undefined;
  const told: unknown[] = [];
  const inTurn = createWorkerTurns({
    ask: (_kind, ticket) =>
      new Promise((resolve) => {
        setImmediate(() => {
          resolve('alone' as never);
          want(ticket);
        });
      }),
    tell: (kind, ticket) => void told.push(kind, ticket),
    on: (_kind, listener) => {
      want = listener;
    },
  });
  expect(await inTurn(async () => 'written')).toBe('written');
  await expect.poll(() => told[0]).toBe('turned');
});
