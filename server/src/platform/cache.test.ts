import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { createLoadingCache } from './cache.ts';

function setup(max = 100, maxLoads = 100) {
  const clock = new FakeClock(0);
  const pending: { key: string; resolve(value: string | undefined): void; reject(error: Error): void }[] = [];
  const cache = createLoadingCache<string>({
    clock,
    max,
    maxLoads,
    ttlMs: 1000,
    overloaded: () => new Error('overloaded'),
    load: (key) => new Promise((resolve, reject) => pending.push({ key, resolve, reject })),
  });
  return { cache, clock, pending };
}

test('one load serves all who ask, afterwards the answer is immediate until it is old', async () => {
  const { cache, clock, pending } = setup();
  const both = [cache.get('a'), cache.get('a')];
  expect(pending).toHaveLength(1);
  pending[0]?.resolve('value');
  expect(await Promise.all(both)).toEqual(['value', 'value']);
  expect(cache.get('a')).toBe('value');
  clock.advanceMs(1000);
  expect(cache.get('a')).toBeInstanceOf(Promise);
  expect(pending).toHaveLength(2);
});

test('a load that began before an invalidation is not kept', async () => {
  const { cache, pending } = setup();
  const old = cache.get('a');
  cache.invalidate(() => false);
  const fresh = cache.get('a');
  expect(pending).toHaveLength(2);
  pending[1]?.resolve('new');
  pending[0]?.resolve('old');
  expect([await old, await fresh, cache.get('a')]).toEqual(['old', 'new', 'new']);
});

test('misses are remembered, forgotten with the next change, and push no value out', async () => {
  const { cache, pending } = setup(2);
  void cache.get('kept');
  pending[0]?.resolve('value');
  for (const [index, key] of ['x', 'y', 'z'].entries()) {
    const miss = cache.get(key);
    pending[index + 1]?.resolve(undefined);
    expect(await miss).toBeUndefined();
  }
  expect(cache.get('z')).toBeUndefined();
  expect(cache.get('kept')).toBe('value');
  cache.invalidate(() => false);
  expect(cache.get('z')).toBeInstanceOf(Promise);
  expect(cache.get('kept')).toBe('value');
});

test('failures are not remembered, and loads have a bound', async () => {
  const { cache, pending } = setup(100, 1);
  const failing = cache.get('a');
  await expect(cache.get('b')).rejects.toThrow('overloaded');
  pending[0]?.reject(new Error('down'));
  await expect(failing).rejects.toThrow('down');
  const again = cache.get('a');
  pending[1]?.resolve('up');
  expect(await again).toBe('up');
});

test('loads that an invalidation left behind count until they end', async () => {
  const { cache, pending } = setup(100, 1);
  const old = cache.get('a');
  cache.invalidate(() => false);
  await expect(cache.get('a')).rejects.toThrow('overloaded');
  pending[0]?.resolve('old');
  await old;
  const fresh = cache.get('a');
  pending[1]?.resolve('new');
  expect(await fresh).toBe('new');
});

test('heavy values leave room for few: what is kept is bounded by what it weighs', async () => {
  const load = async (key: string) => key;
  const overloaded = () => new Error('overloaded');
  const weigh = (value: string) => value.length;
  const cache = createLoadingCache<string>({
    clock: new FakeClock(0),
    max: 10,
    ttlMs: 1000,
    maxLoads: 10,
    overloaded,
    load,
    weigh,
  });
  for (const key of ['a', 'bb', 'cccccc']) expect(await cache.get(key)).toBe(key);
  expect(cache.get('a')).toBe('a');
  expect(await cache.get('dddd')).toBe('dddd');
  expect([cache.get('a'), cache.get('dddd')]).toEqual(['a', 'dddd']);
  for (const key of ['bb', 'cccccc']) expect(cache.get(key)).toBeInstanceOf(Promise);
  const large = 'x'.repeat(11);
  expect(await cache.get(large)).toBe(large);
  expect(cache.get(large)).toBeInstanceOf(Promise);
});
