import { expect, it } from 'vitest';
import { formatBytes } from './bytes.ts';

it('sizes have the unit that fits', () => {
  expect([0, 999, 1000, 1_234_567, 2_500_000_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.0 KB', '1.2 MB', '2.5 GB']);
});
