import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawFirst, urnOf } from './select.ts';

function weightsOf(count: number): { id: number; weight: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: index * 7 + 1, weight: (index * 13) % 91 }));
}

test.each([3, 20, 200])('100,000 draws among %d channels follow weight + 10 within one percentage point', (count) => {
  const members = weightsOf(count);
  const urn = urnOf(members);
  const total = members.reduce((sum, { weight }) => sum + weight + 10, 0);
  const counts = new Map<number, number>();
  const rounds = 100_000;
  for (let seed = 0; seed < rounds; seed++) {
    const id = drawFirst(urn, Math.imul(seed, 2_654_435_761) >>> 0, () => true)?.id ?? 0;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id, weight } of members)
    expect(Math.abs((counts.get(id) ?? 0) / rounds - (weight + 10) / total)).toBeLessThan(0.01);
});

test('seeds in a row draw as fairly as any', () => {
  const members = weightsOf(3);
  const total = members.reduce((sum, { weight }) => sum + weight + 10, 0);
  const counts = new Map<number, number>();
  for (let seed = 0; seed < 100_000; seed++) {
    const id = drawFirst(urnOf(members), seed, () => true)?.id ?? 0;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id, weight } of members)
    expect(Math.abs((counts.get(id) ?? 0) / 100_000 - (weight + 10) / total)).toBeLessThan(0.01);
});

test('who is left out moves nobody else: only the draws that were theirs go elsewhere', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.nat(), fc.nat(149), (count, seed, gone) => {
      const urn = urnOf(weightsOf(count));
      const first = drawFirst(urn, seed, () => true);
      const without = urn.members[gone % count]?.id;
      const second = drawFirst(urn, seed, ({ id }) => id !== without);
      if (first?.id !== without) expect(second).toBe(first);
      else expect(second?.id).not.toBe(without);
    }),
  );
});

test('a draw finds the one that fits, wherever it lies, and none when there is none', () => {
  const urn = urnOf(weightsOf(500));
  const last = urn.members.at(-1);
  expect(drawFirst(urn, 5, ({ id }) => id === last?.id)).toBe(last);
  expect(drawFirst(urn, 5, () => false)).toBeUndefined();
});
