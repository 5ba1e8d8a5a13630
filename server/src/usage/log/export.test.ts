import type { LogExportQuery } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { inUse } from '../../../../wire/test/in-use.ts';
import { onEachEngine, onSqlite } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { insertCrowd, insertLogs } from '../../../test/log-kit.ts';
import { csvCell } from '../../platform/csv.ts';
import { createLogs } from './logs.ts';

const quotaPerUnit = () => 500_000;
const everything: LogExportQuery = {
  ...{
    type: 0,
    token_name: '',
    model_name: '',
    group: '',
    username: '',
    request_id: '',
    upstream_request_id: '',
    ip: '',
    channel: 0,
  },
  ...{ start_timestamp: 0, end_timestamp: 0, format: 'csv' },
};

async function textOf(texts: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const part of texts) text += part;
  return text;
}

test('no cell is a formula, and every cell comes back as it was', () => {
  expect(['=1+1', '+1', '-1', '@x', '\tx', '\rx'].map(csvCell)).toEqual(["'=1+1", "'+1", "'-1", "'@x", "'\tx", '"\'\rx"']);
  expect(['＝1+1', '＋1', '－1', '＠x', '\n=1'].map(csvCell)).toEqual(["'＝1+1", "'＋1", "'－1", "'＠x", '"\'\n=1"']);
  expect(['a', 'a,b', 'a"b', 'a\nb', '', 'x=1'].map(csvCell)).toEqual(['a', '"a,b"', '"a""b"', '"a\nb"', '', 'x=1']);
  expect([7, true].map(csvCell)).toEqual(['7', 'true']);
});

onEachEngine((_name, open) => {
  describe('exporting the log', () => {
    test('a file has exactly the rows of the list, over many batches, and for owners nothing more than they see', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(0) });
      const other = JSON.stringify({ frt: 1, admin_info: { use_channel: ['7'] } });
      const rows = Array.from({ length: 1203 }, (_, index) => ({
        user_id: 1 + (index % 2),
        channel_id: 7,
        content: `=x${index}`,
        other,
      }));
      await insertLogs(db, rows);
      const all = await textOf(logs.export({ kind: 'all' }, everything));
      const lines = all.split('\r\n');
      expect(lines[0]).toMatch(/^\uFEFFid,time,.*,user_id,channel,channel_name,ip,cost_usd$/);
      expect(lines.slice(1, -1).map((line) => Number(line.split(',')[0]))).toEqual(
        Array.from({ length: 1203 }, (_, index) => 1203 - index),
      );
      expect(lines[1]).toContain("'=x1202");
      // What a row cost, for whoever keeps accounts in dollars: a quota of 10.
      expect(lines[1]?.endsWith(',1.2.3.4,0.000020')).toBe(true);
      // A download that was cut off goes on where it ended: what is appended makes the whole file.
      const rest = await textOf(logs.export({ kind: 'all' }, { ...everything, before: 704 }));
      expect(`${lines.slice(0, 501).join('\r\n')}\r\n${rest}`).toBe(all);
      const own = await textOf(logs.export({ kind: 'own', userId: 2 }, { ...everything, format: 'ndjson' }));
      const entries = own
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(entries).toHaveLength(601);
      expect(entries[0]).toMatchObject({ id: 1202, user_id: 2, channel: 0, channel_name: '', other: '{"frt":1}' });
      expect(own).not.toContain('admin_info');
    });

    test('what comes later is told once, in order, and filtered like a page', async () => {
      const db = await open();
      let settled = 0;
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(0), horizon: { settledId: async () => settled } });
      const look = async (after: number | undefined, type = 0) => {
        const { items, after: next, skipped } = await logs.tail({ kind: 'own', userId: 1 }, { ...everything, type, after });
        return { ids: items.map(({ id }) => id), next, skipped };
      };
      expect(await look(undefined)).toEqual({ ids: [], next: 0, skipped: false });
      await insertLogs(db, [{ id: 5 }]);
      settled = 5;
      expect(await look(0)).toEqual({ ids: [5], next: 5, skipped: false });
      expect(await look(undefined)).toEqual({ ids: [], next: 5, skipped: false });
      await insertLogs(db, [{ id: 6 }, { id: 7, user_id: 2 }, { id: 9, type: 5 }]);
      // The transaction that has number 8 is not committed yet.
      settled = 7;
      expect(await look(5)).toEqual({ ids: [6], next: 7, skipped: false });
      await insertLogs(db, [{ id: 8 }]);
      settled = 9;
      expect(await look(7)).toEqual({ ids: [9, 8], next: 9, skipped: false });
      expect((await look(5, 5)).ids).toEqual([9]);
      expect(await look(9)).toEqual({ ids: [], next: 9, skipped: false });
      await insertLogs(
        db,
        Array.from({ length: 150 }, (_, index) => ({ id: 100 + index })),
      );
      settled = 1_000_000;
      expect((await look(9)).skipped).toBe(true);
    });

    test('who was away for long is told of what is left out, and of nothing where nothing matched meanwhile', async () => {
      const db = await open();
      const settled = 40_000;
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(0), horizon: { settledId: async () => settled } });
      await insertLogs(db, [{ id: 5 }, { id: 10_000, user_id: 2 }, { id: 39_000, user_id: 2 }, { id: 40_000 }]);
      const look = async (userId: number, after: number) => {
        const { items, ...rest } = await logs.tail({ kind: 'own', userId }, { ...everything, after });
        return { ids: items.map(({ id }) => id), ...rest };
      };
      expect(await look(1, 5)).toEqual({ ids: [40_000], after: settled, skipped: false });
      expect(await look(1, 4)).toEqual({ ids: [40_000], after: settled, skipped: true });
      expect(await look(2, 5)).toEqual({ ids: [39_000], after: settled, skipped: true });
      expect(await look(3, 0)).toEqual({ ids: [], after: settled, skipped: false });
    });
  });
});

const lookEvery = 5_000_000;

onSqlite((_name, open) => {
  test('100,000 rows pass through without being held', { timeout: 120_000 }, async () => {
    const db = await open();
    await insertCrowd(db, 100_000);
    const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(0) });
    const before = inUse();
    let bytes = 0;
    let lines = 0;
    let most = 0;
    let looked = 0;
    for await (const part of logs.export({ kind: 'all' }, { ...everything, format: 'ndjson' })) {
      bytes += Buffer.byteLength(part);
      lines += part.split('\n').length - 1;
      if (bytes < looked + lookEvery) continue;
      looked = bytes;
      most = Math.max(most, inUse() - before);
    }
    expect(lines).toBe(100_000);
    expect(bytes).toBeGreaterThan(60_000_000);
    expect(looked).toBeGreaterThan(10 * lookEvery);
    expect(most).toBeLessThan(bytes / 4);
  });
});
