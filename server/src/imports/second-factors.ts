import { belowAllIds, type Source } from './source.ts';
import { idOf, isDeleted, isSet, text } from './values.ts';
import { pageRows } from './work.ts';

const table = 'two_fas';

/** User's id -> the secret of an authenticator that is switched on, where the product keeps them in a table of their own. */
export async function readSecondFactors(source: Source): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  if (!source.tables.has(table)) return secrets;
  let after: number | bigint = belowAllIds;
  while (true) {
    const rows = await source.page(table, { key: 'id', after, limit: pageRows });
    for (const row of rows)
      if (isSet(row, 'is_enabled') && !isDeleted(row)) secrets.set(text(row, 'user_id'), text(row, 'secret'));
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return secrets;
    after = idOf(last);
  }
}
