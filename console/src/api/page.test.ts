import { expect, test } from 'vitest';
import { pageOfTotal } from './page.ts';

test('a list that was not counted to its end has a next page, whatever was counted', () => {
  const items = [1, 2];
  expect(pageOfTotal({ items, total: 4 }, 1, 2)).toMatchObject({ total: 4, hasNext: true });
  expect(pageOfTotal({ items, total: 4 }, 2, 2)).toMatchObject({ total: 4, hasNext: false });
  expect(pageOfTotal({ items, total: 4, total_capped: true }, 2, 2)).toMatchObject({ total: 4, capped: true, hasNext: true });
});
