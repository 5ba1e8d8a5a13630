import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import type { Database } from './database.ts';
import { trimAged, trimChanges } from './trim.ts';

const now = 1_800_000_000;
const day = 86_400;

async function addChanges(db: Database, count: number, created_at: number): Promise<void> {
  for (let left = count; left > 0; left -= 1000) {
    const rows = Array.from({ length: Math.min(left, 1000) }, () => ({ kind: 'user', key: '1', created_at }));
    await db.transaction((tx) => tx.query.insertInto('change').values(rows).execute());
  }
}

async function count(db: Database, table: 'change' | 'swept'): Promise<number> {
  const row = await db.read
    .selectFrom(table)
    .select((select) => select.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

onEachEngine((_name, open) => {
  test('changes go after a week, in the order of their numbers, and the newest ten thousand never', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.deleteFrom('change').execute());
    await addChanges(db, 1200, now - 8 * day);
    await addChanges(db, 1, now - day);
    await addChanges(db, 100, now - 8 * day);
    await addChanges(db, 9_999, now - 8 * day);
    expect(await trimChanges(db, now)).toBe(1200);
    // Behind the young one nothing goes: a reader takes them in this order.
    expect(await trimChanges(db, now)).toBe(0);
    expect(await trimChanges(db, now + 10 * day)).toBe(100);
    expect(await count(db, 'change')).toBe(10_000);
    expect(await trimChanges(db, now + 1000 * day)).toBe(0);
  });

  test('changes that a clock months ahead stamped keep no older ones, and go with one after them', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.deleteFrom('change').execute());
    await addChanges(db, 700, now + 90 * day);
    await addChanges(db, 600, now - 8 * day);
    await addChanges(db, 5, now + 90 * day);
    await addChanges(db, 10_000, now - day);
    expect(await trimChanges(db, now)).toBe(1300);
    expect(await count(db, 'change')).toBe(10_005);
    // By a clock that is far behind nothing is old.
    expect(await trimChanges(db, now - 90 * day)).toBe(0);
  });

  test('what aged rows are for decides how long they stay; at once or never, however many have one time', async () => {
    const db = await open();
    const rows = Array.from({ length: 1300 }, (_, index) => ({
      ...{ id: `r${index}`, user_id: 1, token_id: 0, collected: 0, log_id: 0 },
      closed_at: index < 700 ? now - 91 * day : index < 1290 ? now - 91 * day + (index % 7) : now - 89 * day,
    }));
    for (let at = 0; at < rows.length; at += 500)
      await db.transaction((tx) =>
        tx.query
          .insertInto('swept')
          .values(rows.slice(at, at + 500))
          .execute(),
      );
    const aging = { table: 'swept', stamp: 'closed_at', keepSeconds: 90 * day } as const;
    expect(await trimAged(db, aging, now)).toBe(1290);
    expect(await count(db, 'swept')).toBe(10);
    expect(await trimAged(db, aging, now)).toBe(0);
  });
});
