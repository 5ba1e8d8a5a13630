import { expect, it } from 'vitest';
import { formatBytes } from './bytes.ts';

it('sizes have the unit that fits', () => {
  expect([0, 999, 1000, 1_234_567, 2_500_000_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.0 KB', '1.2 MB', '2.5 GB']);
});

it('and are never a thousand of one that is too small', () => {
  expect([999_949, 999_950, 999_999, 999_949_999, 999_950_000].map(formatBytes)).toEqual([
    '999.9 KB',
    '1.0 MB',
    '1.0 MB',
    '999.9 MB',
    '1.0 GB',
  ]);
});
