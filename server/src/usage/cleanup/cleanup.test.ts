import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { draftOf, giveWallet, holdOf, walletOf } from '../../../test/ledger-kit.ts';
import { insertLogs } from '../../../test/log-kit.ts';
import { createLedger, proveLedger } from '../../billing/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../storage/database.ts';
import { createRunBoard } from '../../storage/run-board.ts';
import { anyRow } from '../log/filter.ts';
import { findIds, noCursor } from '../log/find.ts';
import { createSealer } from '../postings/seal.ts';
import { createRollup } from '../sums/rollup.ts';
import { deleteOldLogs } from './cleanup.ts';
import { createCleanupRun } from './cleanup-run.ts';

const silent = { info() {}, warn() {}, error() {}, debug() {}, fatal() {} } as unknown as Log;
const root = { id: 1, username: 'root', ip: '' };
const clock = new FakeClock(1_000_000);

/** Until all rows are in the sums: PostgreSQL needs a second look to know that nothing lower comes. */
async function rollUp(db: Database): Promise<void> {
  const rollup = createRollup({ db, clock, node: 'n1' });
  for (let quiet = 0; quiet < 3; ) quiet = (await rollup.step()) === 'done' ? quiet + 1 : 0;
}

async function cleanAll(db: Database, before: number): Promise<number> {
  let total = 0;
  for (let deleted = -1; deleted !== 0; total += deleted) deleted = await deleteOldLogs(db, before);
  return total;
}

onEachEngine((_name, open) => {
  describe('cleaning up the log', () => {
    const faults = async (db: Database) => (await proveLedger({ db, clock })).checks.filter((check) => !check.ok);

    test('the books add up at every moment while calls are charged and their rows deleted', async () => {
      const db = await open();
      const ledger = createLedger({ db, clock });
      for (const userId of [1, 2, 3]) await giveWallet(db, userId, 1_000_000);
      const call = async (index: number) => {
        const id = `c${index}`;
        const userId = 1 + (index % 3);
        await ledger.hold(holdOf(id, userId, 0, 50));
        await ledger.settle({ id, cost: index % 40, now: 1000 + (index % 100), draft: draftOf(id, userId, 0) });
      };
      const cleaning = { go: true, rounds: 0 };
      const clean = async () => {
        let deleted = 0;
        const rollup = createRollup({ db, clock, node: 'n1', batch: 50 });
        while (cleaning.go) {
          await rollup.step();
          deleted += await deleteOldLogs(db, 1070);
          expect(await faults(db)).toEqual([]);
          cleaning.rounds += 1;
        }
        return deleted;
      };
      const cleaned = clean();
      for (let start = 0; start < 1200; start += 60) {
        const { rounds } = cleaning;
        await Promise.all(Array.from({ length: 60 }, (_, index) => call(start + index)));
        // However fast the calls are, neither runs alone.
        await Promise.race([cleaned, expect.poll(() => cleaning.rounds).toBeGreaterThan(rounds)]);
      }
      cleaning.go = false;
      const deletedMeanwhile = await cleaned;
      expect(deletedMeanwhile).toBeGreaterThan(0);
      await rollUp(db);
      expect(deletedMeanwhile + (await cleanAll(db, 1070))).toBe(1200 * 0.7);
      expect(await faults(db)).toEqual([]);
      const rows = await db.read.selectFrom('log').select(['quota', 'created_at']).execute();
      const compacted = await db.read.selectFrom('log_compaction').select(['user_id', 'quota', 'row_count']).execute();
      expect(rows.every((row) => row.created_at >= 1070)).toBe(true);
      expect(compacted.map(({ row_count }) => row_count)).toEqual([280, 280, 280]);
      const used = await Promise.all([1, 2, 3].map(async (userId) => (await walletOf(db, userId)).used));
      const logged = [...rows, ...compacted].reduce((sum, { quota }) => sum + quota, 0);
      expect(logged).toBe(used.reduce((sum, quota) => sum + quota, 0));
    });

    test.each([70, 20])('a row that a late charge may rewrite stays until it cannot: swept at 30, it was %i', async (cost) => {
      const db = await open();
      const ledger = createLedger({ db, clock });
      await giveWallet(db, 1, 1000);
      await ledger.hold(holdOf('late', 1, 0, 100, { floorCost: 30 }));
      await ledger.dispatch('late');
      expect(await ledger.sweep(2000)).toBe(1);
      await rollUp(db);
      expect(await cleanAll(db, 3000)).toBe(0);
      await ledger.settle({ id: 'late', cost, now: 2100, draft: draftOf('late', 1, 0) });
      expect(await faults(db)).toEqual([]);
      expect(await cleanAll(db, 3000)).toBe(1);
      expect(await db.read.selectFrom('log_compaction').select(['quota', 'row_count']).execute()).toEqual([
        { quota: cost, row_count: 1 },
      ]);
      expect(await faults(db)).toEqual([]);
    });

    test('pages forget deleted rows at once, also those with postings', async () => {
      const db = await open();
      const rows = Array.from({ length: 400 }, (_, index) => ({
        id: 1 + index * 50,
        created_at: 1000 + index,
        quota: 0,
        type: 4,
      }));
      await insertLogs(db, rows);
      const newest = { settledId: async () => 19_951 };
      await createSealer({ db, horizon: newest }).seal(10);
      await rollUp(db);
      expect(await deleteOldLogs(db, 1300)).toBe(200);
      const found = await findIds(db.read, { ...anyRow, type: 4 }, { before: noCursor, skip: 0, limit: 500 });
      expect(found.ids).toHaveLength(200);
      expect(found.ids.at(-1)).toBe(10_001);
    });

    test('postings of rows that are gone go too, and no others', async () => {
      const db = await open();
      await insertLogs(
        db,
        Array.from({ length: 200 }, (_, index) => ({ id: 1 + index * 400, created_at: 1000 + index, quota: 0, type: 4 })),
      );
      await createSealer({ db, horizon: { settledId: async () => 79_601 } }).seal(10);
      await rollUp(db);
      const run = createCleanupRun({ db, clock, log: silent, node: 'n1', pauseMs: 0 });
      await run.start(1100, root);
      await run.wait(20_000);
      expect(await run.state()).toMatchObject({ deleted: 100, failed: false });
      const segments = async (table: 'log_segment' | 'log_posting', column: 'id' | 'segment') =>
        new Set(
          (
            await db.read
              .selectFrom(table)
              .select(sql<number>`${sql.ref(column)}`.as('id'))
              .execute()
          ).map(({ id }) => id),
        );
      expect(await segments('log_segment', 'id')).toEqual(new Set([2, 3]));
      expect(await segments('log_posting', 'segment')).toEqual(new Set([2, 3]));
    });

    test('a run tells how far it is, leaves an audit row, and there is only one', async () => {
      const db = await open();
      await insertLogs(
        db,
        Array.from({ length: 450 }, (_, index) => ({ created_at: 1000 + index, type: 3, quota: 0 })),
      );
      await rollUp(db);
      const run = createCleanupRun({ db, clock, log: silent, node: 'n1', pauseMs: 0 });
      await run.start(1440, root);
      await expect(run.start(1440, root)).rejects.toMatchObject({ code: 'log_cleanup_running' });
      await run.wait(20_000);
      expect(await run.state()).toMatchObject({
        running: false,
        failed: false,
        deleted: 440,
        total: 440,
        target_timestamp: 1440,
      });
      const audit = await db.read.selectFrom('audit').select(['action', 'detail']).execute();
      expect(audit).toEqual([{ action: 'log.delete', detail: '{"before":1440}' }]);
    });

    test('every node tells of the run that one of them does; one whose node died has failed', async () => {
      const db = await open();
      const own = new FakeClock(1_000_000_000);
      const on = (node: string, pauseMs = 0) => createCleanupRun({ db, clock: own, log: silent, node, pauseMs });
      await insertLogs(
        db,
        Array.from({ length: 450 }, (_, index) => ({ created_at: 1000 + index, type: 3, quota: 0 })),
      );
      await rollUp(db);
      // Between two batches it waits until it is looked at.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const pauseMs = 20;
      const [working, asked] = [on('n1', pauseMs), on('n2')];
      expect(await asked.state()).toMatchObject({ running: false, started_at: 0 });
      await working.start(1440, root);
      expect(await asked.state()).toMatchObject({ running: true, target_timestamp: 1440 });
      await expect(asked.start(1440, root)).rejects.toMatchObject({ code: 'log_cleanup_running' });
      const over = async () => {
        vi.advanceTimersByTime(pauseMs);
        return !(await working.state()).running;
      };
      await expect.poll(over).toBe(true);
      const done = { running: false, failed: false, deleted: 440, total: 440, target_timestamp: 1440 };
      expect([await asked.state(), await on('n3').state()]).toMatchObject([done, done]);

      const dead = createRunBoard({ db, clock: own, node: 'dead', run: 'log-cleanup' });
      await dead.begin();
      await dead.tell({ ...done, running: true, deleted: 200 });
      expect(await asked.state()).toMatchObject({ running: true, deleted: 200 });
      own.advanceMs(31_000);
      expect(await asked.state()).toMatchObject({ running: false, deleted: 200, failed: true });
    });

    test('one that is cut off by the end of its node has failed', async () => {
      const db = await open();
      const rows = Array.from({ length: 450 }, (_, index) => ({ created_at: 1000 + index, type: 3, quota: 0 }));
      await insertLogs(db, rows);
      await rollUp(db);
      const run = createCleanupRun({ db, clock, log: silent, node: 'n1', pauseMs: 20 });
      await run.start(1440, root);
      await run.stop();
      expect(await run.state()).toMatchObject({ running: false, failed: true });
      await expect(run.start(1440, root)).rejects.toMatchObject({ code: 'shutting_down' });
    });
  });
});
