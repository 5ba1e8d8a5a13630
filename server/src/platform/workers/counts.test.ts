import { expect, test } from 'vitest';
import { createCountsOfWorkers } from './counts.ts';

const minuteMs = 60_000;
const rule = (amount = 1) => ({ name: 'user/rpm', windowMs: minuteMs, allowed: 3, amount });
const slot = { name: 'user/at-once', limit: 2 };

function countsAt() {
  const clock = { ms: 1_000_000 };
  return { clock, counts: createCountsOfWorkers(() => clock.ms) };
}

test('all workers count together, all places or none, and a window passes', () => {
  const { clock, counts } = countsAt();
  expect(counts.take(1, 'a', [rule()], [slot])).toMatchObject({ ok: true, states: [{ used: 1 }] });
  expect(counts.take(2, 'b', [rule()], [slot])).toMatchObject({ ok: true, states: [{ used: 2 }] });
  expect(counts.take(1, 'c', [rule()], [slot])).toEqual({ ok: false, rule: undefined, waitMs: 1_000 });
  expect(counts.look(1, [rule()], [slot])).toEqual([2, 2]);
  expect(counts.take(1, 'c', [rule()], [])).toMatchObject({ ok: true });
  const full = counts.take(2, 'd', [rule()], [slot]);
  expect(full).toMatchObject({ ok: false, rule: 0 });
  clock.ms += full.ok ? 0 : full.waitMs;
  expect(counts.take(2, 'd', [rule()], [])).toMatchObject({ ok: true });
});

test('what was taken is corrected in the slice in which it was taken', () => {
  const { clock, counts } = countsAt();
  const taken = counts.take(1, 'a', [rule(3)], []);
  if (!taken.ok) throw new Error('refused');
  clock.ms += 5_000;
  counts.add(1, rule(), -2, taken.states[0]?.slice);
  expect(counts.look(1, [rule()], [])).toEqual([1]);
  counts.add(1, rule(), 1, null);
  expect(counts.look(1, [rule()], [])).toEqual([2]);
});

test('a call that is over, and every call of a worker that died, leaves its slot', () => {
  const { counts } = countsAt();
  counts.take(1, 'a', [], [slot]);
  counts.take(2, 'b', [], [slot]);
  counts.leave(1, 'a', [slot]);
  expect(counts.look(1, [], [slot])).toEqual([1]);
  counts.gone(2);
  expect(counts.look(1, [], [slot])).toEqual([0]);
});
