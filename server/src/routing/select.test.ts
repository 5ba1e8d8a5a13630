import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextChannel, pickWeighted, tiersOf } from './select.ts';

const channels = fc.uniqueArray(fc.record({ id: fc.nat(1000), weight: fc.nat(100), priority: fc.integer({ min: -3, max: 3 }) }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 20,
});

test('every channel is tried once, never a lower tier before a higher one is exhausted', () => {
  fc.assert(
    fc.property(channels, fc.infiniteStream(fc.double({ min: 0, max: 0.999999, noNaN: true })), (list, randoms) => {
      const tiers = tiersOf(list);
      const tried = new Set<number>();
      const order: number[] = [];
      for (const random of randoms) {
        const next = nextChannel(tiers, tried, random);
        if (next === undefined) break;
        tried.add(next.id);
        order.push(next.priority);
      }
      expect(tried.size).toBe(list.length);
      expect(order).toEqual([...order].sort((a, b) => b - a));
    }),
  );
});

test('picks follow weight + 10 within one percentage point', () => {
  const tier = [
    { id: 1, weight: 0 },
    { id: 2, weight: 10 },
    { id: 3, weight: 60 },
  ];
  const counts = new Map<number, number>();
  const rounds = 100_000;
  for (let i = 0; i < rounds; i++) {
    const id = pickWeighted(tier, new Set(), (i * 0.618033988749895) % 1)?.id ?? 0;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id, weight } of tier) expect(Math.abs((counts.get(id) ?? 0) / rounds - (weight + 10) / 100)).toBeLessThan(0.01);
});
