import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { countLimit, pageOf } from './page.ts';

const length = countLimit + 12;

onEachEngine((_, open) => {
  test('a long list is counted up to the limit, and from there to the end of the page that is read', async () => {
    const { read, transaction } = await open();
    await transaction(({ query }) =>
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(length)})
          INSERT INTO option (key, value) SELECT 'k' || i, 'x' FROM n`.execute(query),
    );
    const all = read.selectFrom('option').where('value', '=', 'x');
    const pageAt = async (p: number, rows = all) => {
      const { items, ...page } = await pageOf(read, rows, { p, page_size: 10 }, (page) =>
        page.select('key').orderBy('key').execute(),
      );
      return { ...page, rows: items.length };
    };
    const size = { page_size: 10 };
    expect(await pageAt(1)).toEqual({ ...size, page: 1, rows: 10, total: countLimit, total_capped: true });
    // There is one more page behind it.
    expect(await pageAt(1001)).toEqual({ ...size, page: 1001, rows: 10, total: countLimit + 10, total_capped: true });
    expect(await pageAt(1002)).toEqual({ ...size, page: 1002, rows: 2, total: length });
    expect(await pageAt(9000)).toEqual({ ...size, page: 9000, rows: 0, total: length });
    expect(await pageAt(1, all.where('key', 'in', ['k7', 'k8']))).toEqual({ ...size, page: 1, rows: 2, total: 2 });
  });
});
