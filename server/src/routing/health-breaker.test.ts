import fc from 'fast-check';
import { expect, test } from 'vitest';
import { admissionOf, type BreakerCell, beginProbe, breakerRules, endProbe, fail, newCell, succeed } from './health-breaker.ts';

const server = { class: 'server', coolMs: undefined } as const;
const random = 0;

function after(count: number, from: BreakerCell = newCell, startMs = 0): BreakerCell {
  let cell = from;
  for (let i = 0; i < count; i++) cell = fail(cell, server, startMs + i, random);
  return cell;
}

test('a few failures are life, five without a success are an illness', () => {
  expect(admissionOf(after(4), 10)).toBe('in');
  expect(admissionOf(after(5), 10)).toBe('out');
});

test('failures among many successes open nothing; half of the window does', () => {
  let cell = after(4);
  for (let i = 0; i < 20; i++) cell = succeed(cell, 10);
  cell = after(5, cell, 20);
  expect(admissionOf(cell, 30)).toBe('in');
  for (let i = 0; i < 15; i++) cell = fail(succeed(cell, 40), server, 40, random);
  expect(cell.phase).toBe('closed');
  cell = after(8, cell, 50);
  expect(admissionOf(cell, 60)).toBe('out');
});

test('failures that are older than the window are forgotten', () => {
  const old = after(4);
  expect(fail(old, server, breakerRules.windowMs + 10, random).phase).toBe('closed');
});

test('after its rest one probe is let through, its success closes, its failure doubles the rest up to the limit', () => {
  let cell = after(5);
  let nowMs = cell.untilMs;
  expect(cell.untilMs - 4).toBe(breakerRules.firstOpenMs);
  expect(admissionOf(cell, nowMs)).toBe('probe');
  const rests: number[] = [];
  for (let i = 0; i < 6; i++) {
    cell = beginProbe(cell, nowMs);
    expect(admissionOf(cell, nowMs)).toBe('out');
    cell = fail(cell, server, nowMs, random);
    rests.push(cell.untilMs - nowMs);
    nowMs = cell.untilMs;
  }
  expect(rests).toEqual([4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(admissionOf(succeed(beginProbe(cell, nowMs), nowMs), nowMs)).toBe('in');
});

test('a probe without an outcome is given up: at once when it says so, else after a while', () => {
  const cell = beginProbe(after(5), 5_000);
  expect(admissionOf(endProbe(cell, 5_001), 5_001)).toBe('probe');
  expect(admissionOf(cell, 5_000 + breakerRules.probeMs)).toBe('probe');
});

test('a rest that the upstream asked for starts at once, ends on time and is not ended by calls that were running', () => {
  const cell = fail(newCell, { class: 'rate', coolMs: 7_000 }, 1_000, 0.9);
  expect(admissionOf(succeed(cell, 2_000), 2_000)).toBe('out');
  expect(admissionOf(cell, 7_999)).toBe('out');
  expect(admissionOf(cell, 8_000)).toBe('probe');
});

test('a dead key is out after its first refusal', () => {
  expect(fail(newCell, { class: 'auth', coolMs: undefined }, 0, random).phase).toBe('open');
});

test('words alone that call an account empty must come as often as any other failure: one caller cannot close a key that serves others', () => {
  const words = { class: 'quota', coolMs: undefined, byWords: true } as const;
  let cell = fail(newCell, words, 0, random);
  for (let i = 0; i < 20; i++) cell = succeed(fail(cell, words, i, random), i);
  expect(cell.phase).toBe('closed');
  let empty = newCell;
  for (let i = 0; i < breakerRules.minFailures; i++) empty = fail(empty, words, i, random);
  expect(empty.phase).toBe('open');
  expect(fail(newCell, { ...words, byWords: false }, 0, random).phase).toBe('open');
});

test('whatever happens: never out for longer than the longest rest or the wish of the upstream, always a way back', () => {
  const step = fc.record({
    kind: fc.constantFrom('ok', 'bad', 'cool', 'probe', 'end'),
    afterMs: fc.nat(20_000),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      let cell = newCell;
      let nowMs = 0;
      for (const { kind, afterMs, random: chance } of steps) {
        nowMs += afterMs;
        if (kind === 'ok') cell = succeed(cell, nowMs);
        if (kind === 'bad') cell = fail(cell, server, nowMs, chance);
        if (kind === 'cool') cell = fail(cell, { class: 'rate', coolMs: 600_000 }, nowMs, chance);
        if (kind === 'probe' && admissionOf(cell, nowMs) === 'probe') cell = beginProbe(cell, nowMs);
        if (kind === 'end') cell = endProbe(cell, nowMs);
        expect(cell.untilMs - nowMs).toBeLessThanOrEqual(cell.cooling ? 600_000 : breakerRules.longestOpenMs);
        expect(cell.slots.length).toBeLessThanOrEqual(7);
      }
      const later = Math.max(nowMs, cell.untilMs);
      expect(admissionOf(cell, later)).not.toBe('out');
      expect(admissionOf(succeed(cell, later), later)).toBe('in');
    }),
  );
});
