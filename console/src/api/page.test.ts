import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { totalQuery } from './page.ts';

test('a list that was not counted to its end has a next page, whatever was counted', async () => {
  const page = (number: number, total_capped?: boolean) =>
    new QueryClient().fetchQuery(totalQuery(['x'], [number, 2], async () => ({ items: [1, 2], total: 4, total_capped })));
  expect(await page(1)).toMatchObject({ total: 4, hasNext: true });
  expect(await page(2)).toMatchObject({ total: 4, hasNext: false });
  expect(await page(2, true)).toMatchObject({ total: 4, capped: true, hasNext: true });
});
