import { expect, test } from 'vitest';
import { checkLock } from './lock.ts';

const native = { optionalDependencies: { 'native-darwin': '1.0.0', 'native-linux': '1.0.0', 'native-wasm32-wasi': '1.0.0' } };

test('a binary of another platform that is not locked is refused', () => {
  const packages = { '': {}, 'node_modules/native': native, 'node_modules/native-linux': {} };
  expect(checkLock('package-lock.json', { packages }).map(({ message }) => message)).toEqual([
    'has no native-darwin, which node_modules/native wants where it fits: lock it too',
  ]);
});

test('one that lies beside its user or further up is found', () => {
  const packages = {
    '': { optionalDependencies: { 'native-linux': '1.0.0' } },
    'node_modules/@a/b/node_modules/native': native,
    'node_modules/@a/b/node_modules/native-darwin': {},
    'node_modules/native-linux': {},
  };
  expect(checkLock('package-lock.json', { packages })).toEqual([]);
});
