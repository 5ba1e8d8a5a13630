import { expect, test } from 'vitest';
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
