import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onPostgres, onSqlite } from '../../test/engines.ts';
import { isOutage, isRepeatable } from './errors.ts';

const dyingWorks = new URL('../../test/dying-works.ts', import.meta.url);

onSqlite((_, open) => {
  test('a database thread that dies is replaced: its callers hear of it, the next ones are served', async () => {
    const db = await open({ worksModule: dyingWorks });
    const error: unknown = await db.run('die', null).catch((reason: unknown) => reason);
    expect(isOutage(error)).toBe(true);
    await db.run('remember', 'a');
    expect(await db.read.selectFrom('option').select('key').execute()).toEqual([{ key: 'a' }]);
  });
});

onPostgres((_, open) => {
  test('after the server dropped all connections the next calls work', async () => {
    const db = await open({ worksModule: dyingWorks });
    await db.run('remember', 'a');
    const dropAll = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await dropAll.execute(db.read);
    await db.run('remember', 'b');
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'c', value: '1' }).execute());
    expect(await db.read.selectFrom('option').select('key').orderBy('key').execute()).toHaveLength(3);
  });

  test('a row that somebody else keeps locked ends in an error that says so, in time', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'a', value: '1' }).execute());
    const startMs = performance.now();
    await db.transaction(async (tx) => {
      await tx.query.updateTable('option').set({ value: '2' }).execute();
      const other = db.transaction((second) => second.query.updateTable('option').set({ value: '3' }).execute());
      const error: unknown = await other.catch((reason: unknown) => reason);
      expect(isRepeatable(error)).toBe(true);
    });
    expect(performance.now() - startMs).toBeLessThan(8000);
  });

  test('reading connections have a limit on the server, too', async () => {
    const db = await open();
    const { rows } = await sql<{
      statement_timeout: string;
    }>`SELECT current_setting('statement_timeout') AS statement_timeout`.execute(db.read);
    expect(rows).toEqual([{ statement_timeout: '30s' }]);
  });
});
