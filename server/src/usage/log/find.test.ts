import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { insertLogs, type LogRow } from '../../../test/log-kit.ts';
import { attemptText } from '../../routing/explain-record.ts';
import type { Database } from '../../storage/database.ts';
import { logSegmentRows } from '../../storage/log-segments.ts';
import { createSealer } from '../postings/seal.ts';
import { anyRow, type LogFilter } from './filter.ts';
import { countMatching, findIds, noCursor } from './find.ts';
import { sumFound } from './stat.ts';

const start = 1_800_000_000;
const attempt = { channelId: 1, keyIndex: 0, status: 200, error: '', ms: 5, headMs: 4, startMs: 1 };
type Seeded = Partial<LogRow> & { id: number };

/** Three segments and a bit, with holes in the ids; common, rare and absent values; a clock that runs back now and then. */
function rowsToFind(): Seeded[] {
  const rows: Seeded[] = [];
  for (let id = 5; id < logSegmentRows * 3.2; id += id % 11 === 0 ? 40 : 7) {
    rows.push({
      id,
      created_at: start + Math.floor(id / 50) - (id % 997 === 0 ? 500 : 0),
      type: id % 5 === 0 ? 4 : 2,
      quota: id % 5 === 0 ? 0 : id % 4096 === 3 ? 5_000_000_000 : id,
      user_id: 1 + (id % 7),
      username: `user${1 + (id % 7)}`,
      token_name: id % 13 === 0 ? 'rare' : 'work',
      token_id: id % 3,
      model_name: id % 2 === 0 ? 'gpt-4o' : id % 1009 === 0 ? 'Claude_x' : 'gpt-4o-mini',
      channel_id: id > logSegmentRows && id < logSegmentRows * 1.1 ? 9 : 1,
      group_name: id % 17 === 0 ? 'vip' : 'default',
      hidden: id % 101 === 0 ? 1 : 0,
    });
  }
  return rows;
}

function matches(row: Seeded, filter: LogFilter): boolean {
  const like = (pattern: string, name: string) =>
    new RegExp(
      `^${pattern
        .split('%')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
      'i',
    ).test(name);
  const model = row.model_name ?? '';
  return (
    row.hidden === 0 &&
    (filter.userId === 0 || row.user_id === filter.userId) &&
    (filter.username === '' || row.username === filter.username) &&
    (filter.tokenId === 0 || row.token_id === filter.tokenId) &&
    (filter.tokenName === '' || row.token_name === filter.tokenName) &&
    (filter.model === '' || (filter.model.includes('%') ? like(filter.model, model) : model === filter.model)) &&
    (filter.channel === 0 || row.channel_id === filter.channel) &&
    (filter.group === '' || row.group_name === filter.group) &&
    (filter.type === 0 || row.type === filter.type) &&
    (row.created_at ?? 0) >= filter.start &&
    (filter.end === 0 || (row.created_at ?? 0) <= filter.end)
  );
}

const filters = fc.record({
  userId: fc.constantFrom(0, 0, 2, 99),
  username: fc.constantFrom('', '', 'user3', 'nobody'),
  tokenId: fc.constantFrom(0, 0, 1),
  tokenName: fc.constantFrom('', '', 'rare', 'none'),
  model: fc.constantFrom('', '', 'gpt-4o', 'gpt-4o%', '%MINI', 'claude_%', 'absent'),
  channel: fc.constantFrom(0, 0, 1, 9),
  group: fc.constantFrom('', '', 'vip'),
  type: fc.constantFrom(0, 0, 2, 4),
  requestId: fc.constant(''),
  upstreamId: fc.constant(''),
  ip: fc.constant(''),
  start: fc.constantFrom(0, 0, start + 300, start + 700),
  end: fc.constantFrom(0, 0, start + 500, start + 100_000),
});
const windows = fc.record({
  before: fc.constantFrom(noCursor, noCursor, 3000, logSegmentRows, logSegmentRows * 2 + 9),
  skip: fc.constantFrom(0, 0, 1, 150, 2500),
  limit: fc.constantFrom(1, 20, 100),
});

async function agrees(db: Database, rows: readonly Seeded[], runs: number): Promise<void> {
  const newestFirst = [...rows].reverse();
  await fc.assert(
    fc.asyncProperty(filters, windows, async (filter, window) => {
      const all = newestFirst.filter((row) => matches(row, filter)).map(({ id }) => id);
      const below = all.filter((id) => id < window.before).slice(window.skip);
      expect(await findIds(db.read, filter, window)).toEqual({
        ids: below.slice(0, window.limit),
        next: below.length <= window.limit ? 0 : below[window.limit - 1],
      });
      expect(await countMatching(db.read, filter, 1000)).toBe(Math.min(1000, all.length));
      const charged = rows.filter((row) => matches({ ...row, hidden: 0 }, { ...filter, type: 2 }));
      const sum = charged.reduce((total, { quota = 0 }) => total + quota, 0);
      expect(await sumFound(db.read, { ...filter, type: 2 })).toBe(sum);
    }),
    { numRuns: runs },
  );
}

onEachEngine((_name, open) => {
  describe('finding rows of the log', () => {
    test('the same rows and sums are found without postings, with them, and with those of some segments only', async () => {
      const db = await open();
      const rows = rowsToFind();
      await insertLogs(db, rows);
      await agrees(db, rows, 20);
      const sealer = createSealer({ db, horizon: everything(db) });
      expect(await sealer.seal(1)).toBe(1);
      await agrees(db, rows, 20);
      expect(await sealer.seal(10)).toBe(2);
      expect(await sealer.seal(10)).toBe(0);
      await agrees(db, rows, 80);
      await db.transaction((tx) => tx.query.insertInto('log_touch').values({ segment: 1, epoch: 1 }).execute());
      await agrees(db, rows, 20);
    });

    test('a pattern that meets thousands of models brings one row of each segment', async () => {
      const db = await open();
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        id: 1 + index * 16,
        model_name: `model-${index}`,
        user_id: 1 + (index % 2),
        quota: index % 3 === 0 ? 0 : 5,
      }));
      await insertLogs(db, rows);
      expect(await createSealer({ db, horizon: everything(db) }).seal(10)).toBe(2);
      let most = 0;
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult({ result }) {
          most = Math.max(most, result.rows.length);
          return Promise.resolve(result);
        },
      };
      const read = db.read.withPlugin(counting);
      expect(await countMatching(read, { ...anyRow, model: 'model-%' }, noCursor)).toBe(3_000);
      expect(await countMatching(read, { ...anyRow, model: '%-1%', userId: 2 }, noCursor)).toBe(
        rows.filter((row) => row.model_name.includes('-1') && row.user_id === 2).length,
      );
      expect(await sumFound(read, { ...anyRow, type: 2, model: 'model-%' })).toBe(10_000);
      expect(most).toBe(2);
    });

    test('a changed row is found as it is now, at once and after the segment was sealed again', async () => {
      const db = await open();
      await insertLogs(db, rowsToFind());
      const sealer = createSealer({ db, horizon: everything(db) });
      await sealer.seal(10);
      const moved = { ...anyRow, channel: 77 };
      const one = { before: noCursor, skip: 0, limit: 5 };
      await db.transaction(async (tx) => {
        await tx.query.updateTable('log').set({ channel_id: 77 }).where('id', '=', 26).execute();
        await tx.query.insertInto('log_touch').values({ segment: 0, epoch: 1 }).execute();
      });
      expect((await findIds(db.read, moved, one)).ids).toEqual([26]);
      expect(await sealer.seal(10)).toBe(1);
      expect((await findIds(db.read, moved, one)).ids).toEqual([26]);
      expect(await sealer.seal(10)).toBe(0);
    });

    test("an upstream's id is found among the newest rows, and below them by going on", async () => {
      const db = await open();
      const other = (id: string) =>
        `{"admin_info":{"use_channel":["1"],"route":{"a":[${attemptText({ ...attempt, error: 'a "b"', upstreamRequestId: 'other' })},${attemptText({ ...attempt, upstreamRequestId: id })}]}}}`;
      const ids = Array.from({ length: 24 }, (_, segment) => segment * logSegmentRows + 5);
      await insertLogs(
        db,
        ids.map((id, index) => ({ id, channel_id: 1 + (index % 2), other: other(index % 23 === 0 ? 'req_%1' : 'req_x1') })),
      );
      const [oldest, newest] = [ids[0], ids[23]];
      const wanted = { ...anyRow, upstreamId: 'req_%1' };
      const one = { before: noCursor, skip: 0, limit: 5 };
      expect(await findIds(db.read, { ...anyRow, upstreamId: 'eq_%1' }, { ...one, before: 9 })).toEqual({ ids: [], next: 0 });
      const first = await findIds(db.read, wanted, one);
      expect(first).toEqual({ ids: [newest], next: logSegmentRows * 4 });
      expect(await countMatching(db.read, wanted, 100)).toBe(1);
      expect(await findIds(db.read, wanted, { ...one, before: first.next })).toEqual({ ids: [oldest], next: 0 });
      // What postings rule out is not read.
      await createSealer({ db, horizon: everything(db) }).seal(100);
      expect(await findIds(db.read, wanted, one)).toEqual({ ids: [newest, oldest], next: 0 });
      expect(await findIds(db.read, wanted, { ...one, limit: 1 })).toEqual({ ids: [newest], next: newest });
      expect(await findIds(db.read, { ...wanted, channel: 1 }, one)).toEqual({ ids: [oldest], next: 0 });
      expect(await findIds(db.read, { ...wanted, channel: 3 }, one)).toEqual({ ids: [], next: 0 });
    });

    test('a segment is sealed only when rows with lower ids can no longer appear', async () => {
      const db = await open();
      let settled = logSegmentRows - 2;
      const sealer = createSealer({ db, horizon: { settledId: async () => settled } });
      await insertLogs(db, [{ id: 3 }, { id: logSegmentRows + 1 }]);
      expect(await sealer.seal(10)).toBe(0);
      await insertLogs(db, [{ id: 2, channel_id: 5 }]);
      settled = logSegmentRows - 1;
      expect(await sealer.seal(10)).toBe(1);
      const found = await findIds(db.read, { ...anyRow, channel: 5 }, { before: noCursor, skip: 0, limit: 5 });
      expect(found.ids).toEqual([2]);
    });
  });
});

/** Nobody else writes. */
function everything(db: Database) {
  return {
    async settledId() {
      const newest = await db.read.selectFrom('log').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
      return newest?.id ?? 0;
    },
  };
}
