import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachEngine, onSqlite } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { heldOpen } from '../../test/held-open.ts';
import { createChangeReader } from './change-reader.ts';
import { notifyChange } from './changes.ts';
import type { Insertion } from './database.ts';
import { isUniqueViolation } from './errors.ts';
import { migrate } from './migrate.ts';
import { insertRows, together } from './statements.ts';

const transfer = {
  from_account: 'grant',
  to_account: 'user:1',
  amount: 5,
  unit: 'quota',
  kind: 'grant',
  ref: 'grant:1',
  user_id: 1,
  actor_id: 0,
  created_at: 1,
  note: '',
};

onEachEngine((engine, open) => {
  test('migrating twice changes nothing', async () => {
    const db = await open();
    expect(await migrate(db)).toEqual([]);
  });

  test('a committed transaction is visible to the next read, a failed one leaves nothing', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'a', value: '1' }).execute());
    const failing = db.transaction(async (tx) => {
      await tx.query.insertInto('option').values({ key: 'b', value: '1' }).execute();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await db.read.selectFrom('option').select('key').execute()).toEqual([{ key: 'a' }]);
  });

  test.each(['read', 'analyse'] as const)('the handle `%s` refuses to write', async (handle) => {
    const db = await open();
    await expect(db[handle].insertInto('option').values({ key: 'a', value: '1' }).execute()).rejects.toThrow();
  });

  test('a work that only reads runs where long reading does, and cannot write', async () => {
    const db = await open({ worksModule: new URL('../../test/odd-works.ts', import.meta.url) });
    await db.run('remember', 'a');
    expect(await db.examine('recall', ['a', 'b'])).toEqual(['1', 'undefined']);
    await expect(db.examine('remember', 'b')).rejects.toThrow();
    await expect(db.examine('nothing', 'b')).rejects.toThrow('Unknown work nothing');
    expect(await db.examine('recall', ['a', 'b'])).toEqual(['1', 'undefined']);
  });

  test('long reading keeps neither a quick one nor another long one waiting', async () => {
    const db = await open();
    const counting = (rows: number) =>
      sql<{ found: number }>`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(rows)})
        SELECT COUNT(*) AS found FROM n`.execute(db.analyse);
    // Threads and connections start with their first question.
    await Promise.all([counting(1), counting(1)]);
    const ended: string[] = [];
    const told = (name: string) => () => void ended.push(name);
    await Promise.all([
      counting(3_000_000).then(told('long')),
      counting(30_000).then(told('shorter')),
      sql`SELECT 1`.execute(db.read).then(told('quick')),
    ]);
    expect(ended.at(-1)).toBe('long');
    expect(ended.toSorted()).toEqual(['long', 'quick', 'shorter']);
  });

  test('a closed database starts nothing any more', async () => {
    const db = await open();
    await db.close();
    for (const handle of [db.read, db.analyse]) {
      await expect(sql`SELECT 1`.execute(handle)).rejects.toThrow();
    }
  });

  test('a transaction handle is dead after its transaction', async () => {
    const db = await open();
    const late = await db.transaction(async (tx) => tx.query);
    await expect(late.insertInto('option').values({ key: 'a', value: '1' }).execute()).rejects.toThrow('over');
  });

  test('a transaction that takes too long is rolled back and the next one runs', async () => {
    const db = await open();
    const stuck = db.transaction(
      async (tx) => {
        await tx.query.insertInto('option').values({ key: 'a', value: '1' }).execute();
        await new Promise(() => undefined);
      },
      { timeoutMs: 50 },
    );
    await expect(stuck).rejects.toThrow('longer than 50 ms');
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'a', value: '2' }).execute());
    expect(await db.read.selectFrom('option').selectAll().execute()).toEqual([{ key: 'a', value: '2' }]);
  });

  test('a taken unique key is recognised on both engines', async () => {
    const db = await open();
    const insert = () => db.transaction((tx) => tx.query.insertInto('option').values({ key: 'a', value: '1' }).execute());
    await insert();
    const error: unknown = await insert().catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
  });

  test('transfers can be neither changed nor deleted', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.insertInto('transfer').values(transfer).execute());
    const update = db.transaction((tx) => tx.query.updateTable('transfer').set({ amount: 6 }).execute());
    await expect(update).rejects.toThrow('append-only');
    const remove = db.transaction((tx) => tx.query.deleteFrom('transfer').execute());
    await expect(remove).rejects.toThrow('append-only');
    expect(await db.read.selectFrom('transfer').select('amount').execute()).toEqual([{ amount: 5 }]);
  });

  test.each([
    ['a negative wallet', { user_id: 1, available: -1, held: 0, used_quota: 0, request_count: 0, version: 0 }],
    ['a negative hold', { user_id: 1, available: 0, held: -1, used_quota: 0, request_count: 0, version: 0 }],
    ['an unsafe amount', { user_id: 1, available: 2 ** 53, held: 0, used_quota: 0, request_count: 0, version: 0 }],
  ])('the database refuses %s', async (_, row) => {
    const db = await open();
    await expect(db.transaction((tx) => tx.query.insertInto('wallet').values(row).execute())).rejects.toThrow();
    expect(await db.read.selectFrom('wallet').selectAll().execute()).toEqual([]);
  });

  test('numbers come back as numbers, sums too, and large ones exactly', async () => {
    const db = await open();
    const amount = 2 ** 51 + 1;
    await db.transaction((tx) =>
      tx.query
        .insertInto('transfer')
        .values({ ...transfer, amount })
        .execute(),
    );
    await db.transaction((tx) =>
      tx.query
        .insertInto('transfer')
        .values({ ...transfer, ref: 'grant:2', amount })
        .execute(),
    );
    const row = await db.read
      .selectFrom('transfer')
      .select(({ fn }) => [fn.sum('amount').as('sum'), fn.countAll().as('count')])
      .executeTakeFirst();
    expect(row).toEqual({ sum: 2 * amount, count: 2 });
  });

  test('statements that run together see one another, and their results come in their order', async () => {
    const db = await open();
    const insert = (keys: string[]) => ({
      table: 'option',
      columns: ['key', 'value'],
      rows: keys.map((key) => [key, key]),
      tail: '',
    });
    const count = { sql: 'SELECT COUNT(*) AS found FROM option WHERE key >= ?', parameters: ['a'] };
    const many = Array.from({ length: 31 }, (_, index) => `m${index}`);
    const results = await db.transaction((tx) =>
      tx.perform(together([count, insert(['a', 'b']), count, insert(many), { ...count, parameters: ['m'] }])),
    );
    expect(results.map(({ rows, changes }) => rows[0]?.found ?? changes)).toEqual([0, 2, 2, 31, 31]);
    expect(await db.transaction((tx) => tx.perform(together([])))).toEqual([]);
  });

  test('of statements that run together nothing is left when one of them fails', async () => {
    const db = await open();
    const insert = (key: string) => ({ table: 'option', columns: ['key', 'value'], rows: [[key, '1']], tail: '' });
    const failing = db.transaction((tx) => tx.perform(together([insert('a'), insert('a'), insert('b')])));
    expect(isUniqueViolation(await failing.catch((reason: unknown) => reason))).toBe(true);
    expect(await db.read.selectFrom('option').selectAll().execute()).toEqual([]);
    await db.transaction((tx) => tx.perform(together([insert('a'), insert('b')])));
    expect(await db.read.selectFrom('option').select('key').orderBy('key').execute()).toEqual([{ key: 'a' }, { key: 'b' }]);
  });

  test('rows that are added keep every value as it is', async () => {
    const db = await open();
    const texts = [
      '',
      ' ',
      'NULL',
      'null',
      '{}',
      '{"a":"b"}',
      'back\\slash \\n',
      '"',
      "'",
      'a,b',
      'line\nbreak\t',
      '中文 💠',
      '?',
      '$1',
      '\\u0000 \\ud800',
    ];
    const rows = [...texts, ...Array.from({ length: 1100 }, (_, index) => `row ${index}`)].map((value, index) => [
      `k${String(index).padStart(5, '0')}`,
      value,
    ]);
    await db.transaction((tx) => tx.perform(insertRows('option', ['key', 'value'], rows)));
    const found = await db.read.selectFrom('option').select(['key', 'value']).orderBy('key').execute();
    expect(found.map(({ key, value }) => [key, value])).toEqual(rows);
    await db.transaction(({ query }) =>
      query.schema
        .createTable('odd')
        .addColumn('n', 'bigint')
        .addColumn('f', 'double precision')
        .addColumn('t', 'text')
        .execute(),
    );
    const odd = [
      [1, 0.5, null],
      [null, 2, 'x'],
      [-(2 ** 53 - 1), 1e-9, null],
      [null, null, null],
    ];
    const insert = (part: Insertion['rows'], real: string[]) =>
      db.transaction((tx) => tx.perform(together([{ table: 'odd', columns: ['n', 'f', 't'], rows: part, tail: '', real }])));
    for (const part of [odd, odd.slice(3), odd.slice(0, 1)]) await insert(part, ['f']);
    const back = await sql<{ n: number; f: number; t: string }>`SELECT n, f, t FROM odd`.execute(db.read);
    expect(back.rows.map(({ n, f, t }) => [n, f, t])).toEqual([...odd, ...odd.slice(3), ...odd.slice(0, 1)]);
  });

  test('a fraction, and a number that is not exact, is refused where whole numbers belong, and nothing is left', async () => {
    const db = await open();
    const columns = ['user_id', 'available', 'held', 'used_quota', 'request_count', 'version'];
    for (const available of [0.5, 2 ** 53]) {
      const rows = [
        [1, 5, 0, 0, 0, 0],
        [2, available, 0, 0, 0, 0],
      ];
      await expect(db.transaction((tx) => tx.perform(insertRows('wallet', columns, rows)))).rejects.toThrow();
    }
    expect(await db.read.selectFrom('wallet').selectAll().execute()).toEqual([]);
  });

  test('columns that a migration adds are found by a reader that has asked before', async () => {
    const db = await open();
    const read = () => sql`SELECT * FROM migration ORDER BY name LIMIT 1`.execute(db.read);
    const [before] = (await read()).rows;
    await db.transaction(({ query }) => query.schema.alterTable('migration').addColumn('hue', 'text').execute());
    expect((await read()).rows).toEqual([{ ...(before as object), hue: null }]);
  });

  test('text with NUL and emoji can be stored and searched without an error', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'a\0b', value: '💠 \0' }).execute());
    const row = await db.read.selectFrom('option').select('value').where('key', '=', 'a\0b').executeTakeFirst();
    expect(row?.value.startsWith('💠')).toBe(true);
  });

  test('texts that PostgreSQL cannot hold are stored without an error, among rows as well', async () => {
    const db = await open();
    const rows = [
      ['nul', 'a\0b'],
      ['half', `a${'💠'.charAt(0)}b`],
      ['whole', 'a💠b'],
    ];
    await db.transaction((tx) => tx.perform(insertRows('option', ['key', 'value'], rows)));
    const found = await db.read.selectFrom('option').select(['key', 'value']).orderBy('key').execute();
    expect(found.map(({ key }) => key)).toEqual(['half', 'nul', 'whole']);
    expect(found.map(({ value }) => value.startsWith('a') && value.endsWith('b'))).toEqual([true, true, true]);
    expect(found[2]?.value).toBe('a💠b');
  });

  test('changes are read once each, also when they are committed out of order', async () => {
    const db = await open();
    const clock = new FakeClock(1_000_000);
    const note = (key: string) => db.transaction((tx) => tx.perform(notifyChange('user', key, 1)));
    await note('before');
    const reader = createChangeReader({ db, clock });
    expect(await reader.changesSince()).toEqual([]);
    if (engine === 'postgres') {
      const slow = await heldOpen(db, (tx) => tx.perform(notifyChange('user', 'slow', 1)));
      await note('quick');
      expect((await reader.changesSince()).map(({ key }) => key)).toEqual(['quick']);
      await slow.end();
      expect((await reader.changesSince()).map(({ key }) => key)).toEqual(['slow']);
    }
    await note('after');
    expect((await reader.changesSince()).map(({ key }) => key)).toEqual(['after']);
    clock.advanceMs(61_000);
    expect(await reader.changesSince()).toEqual([]);
    await note('later');
    expect((await reader.changesSince()).map(({ key }) => key)).toEqual(['later']);
  });
});

onSqlite((_engine, open, { place }) => {
  test('a database that was closed is one file: whoever copies that alone has all of it', async () => {
    const where = await place();
    const db = await open({ place: where });
    await db.transaction(({ query }) => query.insertInto('option').values({ key: 'last', value: 'word' }).execute());
    expect(await db.read.selectFrom('option').select('value').execute()).toEqual([{ value: 'word' }]);
    expect(await db.analyse.selectFrom('option').select('value').execute()).toEqual([{ value: 'word' }]);
    await db.close();
    expect(readdirSync(where.dataDir).filter((name) => name.startsWith('tollgate.db'))).toEqual(['tollgate.db']);
  });

  test('what an analysis sorts goes to a file, as it may be larger than memory', async () => {
    const db = await open();
    const places = { read: 2, analyse: 1 } as const;
    for (const handle of ['read', 'analyse'] as const)
      expect((await sql<{ temp_store: number }>`SELECT temp_store FROM pragma_temp_store`.execute(db[handle])).rows).toEqual([
        { temp_store: places[handle] },
      ]);
  });
});
