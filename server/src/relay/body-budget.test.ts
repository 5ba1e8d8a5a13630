import { expect, test, vi } from 'vitest';
import { type BodyPlace, createBodyBudget } from './body-budget.ts';

const mostBytes = 100;
const announcing = (bytes: number) => ({ headers: { 'content-length': String(bytes) } });
const inPieces = { headers: { 'transfer-encoding': 'chunked' } };
const refusal = { status: 503, code: 'overloaded', retryAfterSeconds: 1 };

function enter(budget: ReturnType<typeof createBodyBudget>, request: object): BodyPlace {
  const place = { bytes: 0 };
  budget.enter(place, request as Parameters<typeof budget.enter>[1], mostBytes);
  return place;
}
const refused = (budget: ReturnType<typeof createBodyBudget>, request: object) =>
  expect(() => enter(budget, request)).toThrow(expect.objectContaining(refusal));

test('bodies beyond the budget are refused before they are read, until others are let go', () => {
  const budget = createBodyBudget(150);
  const first = enter(budget, announcing(90));
  refused(budget, announcing(61));
  const second = enter(budget, announcing(60));
  refused(budget, announcing(1));
  budget.leave(first);
  budget.leave(first);
  enter(budget, announcing(90));
  budget.leave(second);
  enter(budget, announcing(60));
});

test('a body without a length counts as the largest until it has come, then as what it is', () => {
  const budget = createBodyBudget(150);
  const place = enter(budget, inPieces);
  refused(budget, announcing(60));
  budget.came(place, 20);
  enter(budget, announcing(60));
  // What unpacked to more is there already.
  budget.came(place, 500);
  refused(budget, announcing(1));
});

test('one body is let in however small the budget is, and what announces nothing takes nothing', () => {
  const budget = createBodyBudget(10);
  enter(budget, { headers: {} });
  enter(budget, announcing(1_000_000));
  refused(budget, inPieces);
});

test('an answer takes what is left, all of it where nobody else is, and gives it back with its question', () => {
  const budget = createBodyBudget(150);
  const first = enter(budget, announcing(90));
  const second = enter(budget, announcing(10));
  expect([budget.grow(first, 60), budget.grow(first, 50), budget.grow(second, 1)]).toEqual([false, true, false]);
  budget.leave(first);
  expect(budget.grow(second, 1_000)).toBe(true);
  refused(budget, announcing(1));
  budget.leave(second);
  enter(budget, announcing(90));
});

/** Bodies of `userId` that do not come; what each of them is told goes to `told` by its number. */
function onTheirWay(budget: ReturnType<typeof createBodyBudget>, userId: number, sizes: readonly number[], told = vi.fn()) {
  return sizes.map((bytes, number) => {
    const place = { bytes: 0, userId };
    budget.enter(place, announcing(bytes), mostBytes);
    budget.awaited(place, Promise.withResolvers<Buffer>().promise).catch((fault: unknown) => void told(number, fault));
    return place;
  });
}

test('bodies that do not come make room for those of others, the oldest of the user first who has most of them', async () => {
  const budget = createBodyBudget(100);
  const [told, others] = [vi.fn(), vi.fn()];
  const idle = onTheirWay(budget, 1, [20, 20, 20, 20], told);
  onTheirWay(budget, 2, [20], others);
  const mine = { bytes: 0, userId: 3 };
  budget.enter(mine, announcing(25), mostBytes);
  await expect.poll(() => told.mock.calls).toEqual([0, 1].map((number) => [number, expect.objectContaining(refusal)]));
  expect([mine.bytes, ...idle.map(({ bytes }) => bytes)]).toEqual([25, 0, 0, 20, 20]);
  // An answer is worth as much, and who has as much as the others takes nothing from them.
  expect(budget.grow(mine, 20)).toBe(true);
  expect(budget.grow(mine, 40)).toBe(false);
  await expect.poll(() => told).toHaveBeenCalledTimes(3);
  expect(others).not.toHaveBeenCalled();
});

test('nobody makes room who has no more on the way than the other one would have, but for one that was let in alone; nor for the same user, nor with what has come', async () => {
  const budget = createBodyBudget(100);
  const told = vi.fn();
  onTheirWay(budget, 1, [50, 50], told);
  for (const [userId, bytes] of [[1, 1] as const, [2, 51] as const])
    expect(() => budget.enter({ bytes: 0, userId }, announcing(bytes), mostBytes)).toThrow(expect.objectContaining(refusal));
  await Promise.resolve();
  expect(told).not.toHaveBeenCalled();

  const alone = createBodyBudget(60);
  const late = vi.fn();
  onTheirWay(alone, 1, [100], late);
  expect(() => alone.enter({ bytes: 0, userId: 2 }, inPieces, mostBytes)).toThrow(expect.objectContaining(refusal));
  alone.enter({ bytes: 0, userId: 2 }, announcing(60), mostBytes);
  await expect.poll(() => late).toHaveBeenCalledTimes(1);

  const arrived = createBodyBudget(100);
  for (const userId of [1, 1]) {
    const place = { bytes: 0, userId };
    arrived.enter(place, announcing(50), mostBytes);
    await arrived.awaited(place, Promise.resolve(Buffer.alloc(50)));
  }
  refused(arrived, announcing(1));
});

test('what may be forgotten is, the oldest first, as soon as anybody wants its room; a body larger than all of it, too', () => {
  const budget = createBodyBudget(100);
  const forgotten = vi.fn();
  const [first, second] = [1, 1].map((userId) => ({ bytes: 0, userId })) as [BodyPlace, BodyPlace];
  expect(budget.spare(first, 40, () => forgotten('first'))).toBe(true);
  expect(budget.spare(second, 40, () => forgotten('second'))).toBe(true);
  expect(budget.spare(second, 70, () => forgotten('second'))).toBe(false);
  expect([first.bytes, second.bytes]).toEqual([40, 0]);
  expect(budget.spare(second, 60, () => forgotten('second'))).toBe(true);
  const mine = { bytes: 0, userId: 1 };
  budget.enter(mine, announcing(30), mostBytes);
  expect([forgotten.mock.calls, first.bytes, second.bytes]).toEqual([[['first']], 0, 60]);
  budget.leave(mine);
  budget.leave(second);
  expect(budget.spare(second, 10, () => forgotten('again'))).toBe(true);
  budget.enter({ bytes: 0, userId: 2 }, announcing(500), 1_000);
  expect(forgotten.mock.calls).toEqual([['first'], ['again']]);
  refused(budget, announcing(1));
});
