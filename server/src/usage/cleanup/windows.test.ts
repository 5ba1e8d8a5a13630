import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { captureLog } from '../../../test/capture-log.ts';
import { onPostgres } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { heldOpen } from '../../../test/held-open.ts';
import { draftOf, giveWallet, holdOf } from '../../../test/ledger-kit.ts';
import { insertCrowd, insertLogs } from '../../../test/log-kit.ts';
import { anything, rollAll, rollupOn } from '../../../test/usage-kit.ts';
import { createLedger, proveLedger } from '../../billing/index.ts';
import type { Database } from '../../storage/database.ts';
import { migrate } from '../../storage/migrate.ts';
import { migrations } from '../../storage/migrations/index.ts';
import { openDatabase } from '../../storage/open.ts';
import { readLogWindows } from '../../storage/postgres/log-windows.ts';
import { anyRow } from '../log/filter.ts';
import { countMatching } from '../log/find.ts';
import { createSealer } from '../postings/seal.ts';
import { usageSums } from '../sums/sums.ts';
import { createCleanupRun } from './cleanup-run.ts';
import { deleteOldWindow, dropEmptyWindows, keepWindowAhead } from './windows.ts';

const now = 1_800_000_000;
const clock = new FakeClock(now * 1000);
const segment = 16_384;
/** As the migration makes it. */
const first = 64 * segment;
const small = { least: segment, most: 2 * segment };
const root = { id: 1, username: 'root', ip: '' };

/** The next row gets this id. */
const jumpTo = (db: Database, id: number) =>
  db.transaction((tx) => sql`SELECT setval('log_id_seq', ${sql.lit(id)}, false)`.execute(tx.query));
const idsOf = async (db: Database) => (await db.read.selectFrom('log').select('id').orderBy('id').execute()).map(({ id }) => id);
const rowsIn = async (db: Database, name: string) =>
  (await sql<{ total: number }>`SELECT count(*) AS total FROM ${sql.table(name)}`.execute(db.read)).rows[0]?.total;
const boundsOf = async (db: Database) => (await readLogWindows(db.read)).map(({ from, to }) => [from, to]);
const tablesOf = async (db: Database) => (await readLogWindows(db.read)).map(({ name }) => name);

onPostgres((_name, open, { place }) => {
  test('a database of the migration before keeps its rows, ids and indexes, and goes on', async () => {
    const where = await place({ isEmpty: true });
    const worksModule = new URL('../../billing/works.ts', import.meta.url);
    const db = await openDatabase({ ...where, synchronous: 'FULL', worksModule });
    try {
      const before = migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === '0019-log-windows'),
      );
      await migrate(db, before);
      await insertLogs(db, [{ content: 'old' }, { content: 'older', id: 3_000_000 }]);
      await db.transaction((tx) => sql`SELECT setval('log_id_seq', 3000000)`.execute(tx.query));
      const old = await db.read.selectFrom('log').selectAll().orderBy('id').execute();
      expect(await migrate(db)).toContain('0019-log-windows');
      expect(await db.read.selectFrom('log').selectAll().orderBy('id').execute()).toEqual(old);
      await insertLogs(db, [{ content: 'new' }]);
      expect(await idsOf(db)).toEqual([1, 3_000_000, 3_000_001]);
      expect(await boundsOf(db)).toEqual([[0, 3 * first]]);
      const { rows } = await sql<{ name: string }>`
        SELECT indexname AS name FROM pg_indexes WHERE tablename = 'log_first' ORDER BY indexname`.execute(db.read);
      expect(rows.map(({ name }) => name)).toEqual([
        'log_first_by_created_at',
        'log_first_by_request_id',
        'log_first_by_user_id_id',
        'log_first_pkey',
      ]);
    } finally {
      await db.close();
    }
  });

  test('the next window is there before it is needed, once, however many nodes make it', async () => {
    const db = await open();
    expect(await boundsOf(db)).toEqual([[0, first]]);
    const nodes = () => Promise.all([1, 2, 3].map(() => keepWindowAhead(db, now, small)));
    await nodes();
    expect(await boundsOf(db)).toEqual([[0, first]]);
    await jumpTo(db, first - segment);
    await insertLogs(db, [{}]);
    await nodes();
    expect(await boundsOf(db)).toEqual([
      [0, first],
      [first, first + segment],
    ]);
    await jumpTo(db, first);
    await insertLogs(db, [{}]);
    expect(await rowsIn(db, `log_from_${first}`)).toBe(1);
    expect(await rowsIn(db, 'log_rest')).toBe(0);
  });

  test('rows that come before their window are kept like others, and the next window begins above them', async () => {
    const db = await open();
    await jumpTo(db, first + 5);
    await insertLogs(db, [{}, {}]);
    expect(await rowsIn(db, 'log_rest')).toBe(2);
    await keepWindowAhead(db, now, small);
    const from = first + 4 * segment;
    expect(await boundsOf(db)).toEqual([
      [0, first],
      [from, from + segment],
    ]);
    await jumpTo(db, from);
    await insertLogs(db, [{}]);
    expect(await rowsIn(db, `log_from_${from}`)).toBe(1);
    expect(await idsOf(db)).toEqual([first + 5, first + 6, from]);
    expect(await countMatching(db.read, anyRow, 10)).toBe(3);
  });

  test('a calls row goes into the window of its id, is found, corrected and proven there', async () => {
    const db = await open();
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 10_000);
    await jumpTo(db, first - 1);
    await keepWindowAhead(db, now, { least: first, most: 2 * first });
    await ledger.hold(holdOf('late', 1, 0, 100, { floorCost: 30 }));
    await ledger.dispatch('late');
    await ledger.sweep(now);
    await ledger.hold(holdOf('b', 1, 0, 100));
    await ledger.settle({ id: 'b', cost: 7, now, draft: draftOf('b', 1, 0) });
    await ledger.settle({ id: 'late', cost: 90, now, draft: draftOf('late', 1, 0) });
    const rows = await db.read.selectFrom('log').select(['id', 'quota']).orderBy('id').execute();
    expect(rows).toEqual([
      { id: first - 1, quota: 90 },
      { id: first, quota: 7 },
    ]);
    await rollAll(rollupOn(db));
    expect((await usageSums(db.read, anything)).quota).toBe(97);
    expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('whole old windows go at once; what they came to stays in the books, the sums and the limits', async () => {
    const db = await open();
    const ledger = createLedger({ db, clock });
    for (const userId of [1, 2]) await giveWallet(db, userId, 1_000_000);
    const charge = async (id: string, userId: number, cost: number, at: number) => {
      await ledger.hold(holdOf(id, userId, 0, 100));
      await ledger.settle({ id, cost, now: at, draft: draftOf(id, userId, 0) });
    };
    for (let index = 0; index < 40; index += 1) await charge(`a${index}`, 1 + (index % 2), index, now - 9_000);
    // A row that a late charge may still rewrite.
    await ledger.hold(holdOf('late', 1, 0, 100, { floorCost: 30 }));
    await ledger.dispatch('late');
    await ledger.sweep(now - 9_000 + 100_000_000);
    await jumpTo(db, first - 1);
    await charge('edge', 1, 5, now - 9_000);
    await keepWindowAhead(db, now, small);
    await charge('young', 2, 50, now);
    await rollAll(rollupOn(db));
    const sums = await usageSums(db.read, anything);
    const faults = async () => (await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok);
    expect(await faults()).toEqual([]);

    const cleanup = createCleanupRun({ db, clock, log: captureLog(), node: 'n1', pauseMs: 0 });
    await cleanup.start(now - 1, root);
    await cleanup.wait(60_000);
    const kept = await db.read.selectFrom('log').select(['id', 'request_id']).orderBy('id').execute();
    expect(await cleanup.state()).toMatchObject({ failed: false });
    expect(kept.map(({ request_id }) => request_id)).toEqual(['late', 'young']);
    expect(await faults()).toEqual([]);
    expect(await usageSums(db.read, anything)).toEqual(sums);
    const compacted = await db.read
      .selectFrom('log_compaction')
      .select(['user_id', 'row_count', 'quota'])
      .orderBy('user_id')
      .execute();
    expect(compacted).toEqual([
      { user_id: 1, row_count: 21, quota: 385 },
      { user_id: 2, row_count: 20, quota: 400 },
    ]);
    await ledger.settle({ id: 'late', cost: 90, now, draft: draftOf('late', 1, 0) });
    expect(await faults()).toEqual([]);
  });

  test('a row whose sweep is forgotten while its window is emptied is kept, and not summed up as well', async () => {
    const db = await open();
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 1_000_000);
    const charge = async (id: string, at: number) => {
      await ledger.hold(holdOf(id, 1, 0, 100));
      await ledger.settle({ id, cost: 5, now: at, draft: draftOf(id, 1, 0) });
    };
    await charge('a', now - 9_000);
    await ledger.hold(holdOf('late', 1, 0, 100, { floorCost: 30 }));
    await ledger.dispatch('late');
    await ledger.sweep(now - 9_000 + 100_000_000);
    await jumpTo(db, first - 1);
    await charge('edge', now - 9_000);
    await keepWindowAhead(db, now, small);
    await charge('young', now);
    await rollAll(rollupOn(db));
    // What trimming does at that moment, by the one statement that comes between what is kept and what is summed up.
    await db.transaction(async ({ query }) => {
      await sql`CREATE FUNCTION forget() RETURNS trigger AS 'BEGIN DELETE FROM swept; RETURN NEW; END' LANGUAGE plpgsql`.execute(
        query,
      );
      await sql`CREATE TRIGGER forget BEFORE INSERT ON log_touch FOR EACH ROW EXECUTE FUNCTION forget()`.execute(query);
    });
    expect(await deleteOldWindow(db, now + 100_000_001)).toBe(2);
    expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('a window is emptied although somebody reads it, and removed once nothing below it is left', async () => {
    const db = await open();
    await insertCrowd(db, 2_000, now - 100_000);
    await jumpTo(db, first);
    await keepWindowAhead(db, now, { least: first, most: 2 * first });
    await insertLogs(db, [{ created_at: now }]);
    await rollAll(rollupOn(db, 'a', 1_000));
    await createSealer({ db, horizon: { settledId: async () => segment } }).seal(10);
    expect(await deleteOldWindow(db, now - 200 * 86_400)).toBe(0);
    const reader = await heldOpen(db, (tx) => tx.query.selectFrom('log').select('id').limit(1).execute());
    const emptied = deleteOldWindow(db, now - 1);
    // Those who come meanwhile are served.
    await expect.poll(() => countMatching(db.read, anyRow, 10_000)).toBe(2_001);
    await reader.end();
    expect(await emptied).toBe(2_000);
    expect(await countMatching(db.read, anyRow, 10_000)).toBe(1);
    expect(await idsOf(db)).toEqual([first]);
    expect(await tablesOf(db)).toContain('log_first');
    await dropEmptyWindows(db);
    expect(await tablesOf(db)).not.toContain('log_first');
    expect(await deleteOldWindow(db, now + 1)).toBe(0);
  });

  test('a window that looks empty is not removed with the row that somebody is just committing into it', async () => {
    const db = await open();
    await jumpTo(db, first);
    await keepWindowAhead(db, now, { least: first, most: 2 * first });
    await insertLogs(db, [{ created_at: now }]);
    const writer = await heldOpen(db, (tx) =>
      sql`INSERT INTO log (id, created_at, type, user_id, username)
        VALUES (${sql.lit(first - 1)}, ${now}, 2, 1, 'a')`.execute(tx.query),
    );
    // Committed after the look and before what follows from it.
    await dropEmptyWindows({ ...db, transaction: (...wish) => writer.end().then(() => db.transaction(...wish)) });
    await writer.end();
    expect(await idsOf(db)).toEqual([first - 1, first]);
  });
});
