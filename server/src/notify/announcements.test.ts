import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachEngine, onSqlite } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { planned } from '../../test/planned.ts';
import { commandLine } from '../audit/index.ts';
import type { Database } from '../storage/database.ts';
import { createAnnouncements } from './announcements.ts';

const parts = (db: Database) => ({ db, clock: new FakeClock(1_800_000_000_000), serverAddress: () => '' });
const readers = 2_345;

async function withReaders(db: Database) {
  const announcements = createAnnouncements(parts(db));
  for (const title of ['one', 'two'])
    await announcements.create({ kind: 'announcement', title, content: title, tell: false }, commandLine);
  await db.transaction(async ({ query }) => {
    const numbers = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(readers)})`;
    await sql`${numbers} INSERT INTO users (username, role, status, group_name, aff_code, created_at)
      SELECT 'user' || i, 1, 1, 'default', 'code' || i, 1 FROM n`.execute(query);
    await sql`INSERT INTO announcement_read (user_id, announcement_id)
      SELECT users.id, announcement.id FROM users CROSS JOIN announcement`.execute(query);
  });
}

onEachEngine((_, open) => {
  test('with an announcement go the marks of all who read it, and no others', async () => {
    const db = await open();
    await withReaders(db);
    const [two, one] = (await createAnnouncements(parts(db)).page(1, 1, 10)).items;
    await createAnnouncements(parts(db)).remove(one?.id ?? 0, commandLine);
    const marks = await db.read.selectFrom('announcement_read').select('announcement_id').execute();
    expect(marks).toEqual(Array(readers).fill({ announcement_id: two?.id }));
  });
});

onSqlite((_, open) => {
  test('marks of those who read an announcement are looked up by their key, however many there are', async () => {
    const db = await open();
    await withReaders(db);
    const { heard, plansOf } = planned(db);
    const plans = await plansOf(createAnnouncements(parts({ ...heard, read: db.read })).remove(1, commandLine));
    expect(plans).toContain('SEARCH announcement_read USING PRIMARY KEY (user_id=? AND announcement_id=?)');
    expect(plans).not.toContain('SCAN announcement_read');
  });
});
