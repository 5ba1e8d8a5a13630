import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../test/cli-kit.ts';
import { onEachEngine, type Place, productWorks } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
import type { Database } from './database.ts';
import { type Execute, kyselyOver } from './dialect.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { migrationContext } from './migrations/context.ts';
import { type Migration, migrations } from './migrations/index.ts';
import { openDatabase } from './open.ts';

const SECRET_KEY = 'ab'.repeat(32);

/** Not migrated. */
async function openRaw({ url, dataDir }: Place): Promise<Database> {
  const db = await openDatabase({ url, dataDir, synchronous: 'NORMAL', worksModule: productWorks });
  onTestFinished(() => db.close());
  return db;
}

const adding = (name: string, before: () => Promise<void> = async () => undefined): Migration => ({
  name,
  async up({ query }) {
    await before();
    await query.schema
      .createTable(`t_${name.slice(0, 4)}`)
      .addColumn('a', 'integer')
      .execute();
  },
});

onEachEngine((engine, _open, { place }) => {
  test('of two nodes that migrate at once one applies, the other waits, and both end well', async () => {
    const where = await place();
    const [first, second] = await Promise.all([openRaw(where), openRaw(where)]);
    let attempts = 0;
    const counted: Database = {
      ...second,
      transaction: (body, options) => {
        attempts += 1;
        return second.transaction(body, options);
      },
    };
    let begun = () => {};
    const isUnderWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow = adding('9001-slow', () => {
      begun();
      return gate;
    });
    const known = [...migrations, slow, adding('9002-next')];
    const one = migrate(first, known);
    await isUnderWay;
    let isWaiting = true;
    const other = migrate(counted, known).finally(() => {
      isWaiting = false;
    });
    await expect.poll(() => waits(first, engine, attempts), { timeout: 20_000 }).toBe(true);
    expect(isWaiting).toBe(true);
    goOn();
    expect([...(await one), ...(await other)].sort()).toEqual(['9001-slow', '9002-next']);
    const { rows } = await sql<{ name: string }>`SELECT name FROM migration WHERE name > '9'`.execute(first.read);
    expect(rows).toHaveLength(2);
  });

  /** SQLite: refused at least once and tried again. */
  async function waits(db: Database, on: typeof engine, attempts: number): Promise<boolean> {
    return on === 'sqlite' ? attempts > 1 : (await lockWaits(db)) > 0;
  }

  test('what an interruption left is where the next call goes on; a new database is made whole or not at all', async () => {
    const db = await openRaw(await place());
    let isBroken = true;
    const breaking = adding('9002-breaks', async () => {
      if (isBroken) throw new Error('interrupted');
    });
    const known = [...migrations, adding('9001-first'), breaking, adding('9003-last')];
    await expect(migrate(db, known)).rejects.toThrow('interrupted');
    expect((await db.read.introspection.getTables()).map(({ name }) => name)).toContain('t_9001');
    isBroken = false;
    expect(await migrate(db, known)).toEqual(['9002-breaks', '9003-last']);

    isBroken = true;
    const fresh = await openRaw(await place({ isEmpty: true }));
    await expect(migrate(fresh, known)).rejects.toThrow('interrupted');
    expect(await fresh.read.introspection.getTables()).toEqual([]);
  });

  test('what a newer version only added does not keep this one from starting; anything else does, with its name', async () => {
    const db = await openRaw(await place());
    await migrate(db, [...migrations, { ...adding('9001-next'), onlyAdds: true }]);
    expect(await migrate(db)).toEqual([]);
    expect(await pendingMigrations(db)).toEqual([]);
    await expect(pendingMigrations(db, { isExact: true })).rejects.toThrow('9001-next');
    await migrate(db, [...migrations, { ...adding('9001-next'), onlyAdds: true }, adding('9002-changes')]);
    await expect(migrate(db)).rejects.toThrow(/newer version.*9002-changes/);
  });

  test('a database from between two numberings, which has migrations under their former names, is not given them again', async () => {
    const db = await openRaw(await place({ isEmpty: true }));
    const last = migrations.findIndex(({ name }) => name === '0030-old-keys');
    await migrate(
      db,
      migrations.slice(0, last + 1).map((migration) => ({ ...migration, name: migration.formerly ?? migration.name })),
    );
    const later = migrations.slice(last + 1).map(({ name }) => name);
    const pending = await pendingMigrations(db, { isExact: true });
    expect(pending.map(({ name }) => name)).toEqual(later);
    expect(await migrate(db)).toEqual(later);
  });

  test('names that are one to people all stay; the first of them is what new names are compared with', async () => {
    const db = await openRaw(await place({ isEmpty: true }));
    const last = migrations.findIndex(({ name }) => name === '0032-name-keys');
    await migrate(db, migrations.slice(0, last));
    const names = ['root', 'Bob', 'ROOT', 'bob', '张三', '\u200b', 'José', 'Jose\u0301'];
    await db.transaction(async ({ query }) => {
      for (const name of names) {
        await sql`INSERT INTO users (username, role, status, group_name, aff_code, created_at) VALUES (${name}, 1, 1, 'default', ${name}, 1)`.execute(
          query,
        );
      }
    });
    expect(await migrate(db)).toContain('0032-name-keys');
    const rows = await db.read.selectFrom('users').select(['username', 'name_key']).orderBy('id').execute();
    expect(rows.map(({ username }) => username)).toEqual(names);
    expect(rows.map(({ name_key }) => name_key)).toEqual(['root', 'bob', null, null, '张三', null, 'josé', null]);
  });

  test('orders of before say what was given back: all of those taken back, of others what was told in their currency', async () => {
    const db = await openRaw(await place({ isEmpty: true }));
    const last = migrations.findIndex(({ name }) => name === '0033-order-refunds');
    await migrate(db, migrations.slice(0, last));
    const orders = ['refunded', 'paid', 'paid_late', 'paid', 'pending'];
    const told = [
      ...[
        [2, 250, 'cny'],
        [2, 400, 'cny'],
        [2, 1000, 'cny'],
        [2, 900, 'eur'],
      ],
      ...[
        [3, 900, 'eur'],
        [4, 1000, 'cny'],
      ],
    ] as const;
    await db.transaction(async ({ query }) => {
      for (const [index, state] of orders.entries()) {
        await sql`INSERT INTO topup_order (user_id, provider, method, trade_no, amount, quota, money_cents, currency, state, created_at, expires_at)
          VALUES (1, 'stripe', '', ${String(index)}, 1, 1, 1000, 'cny', ${state}, 1, 1)`.execute(query);
      }
      for (const [index, [order, cents, currency]] of told.entries()) {
        await sql`INSERT INTO payment_inbox (provider, digest, kind, payload_sealed, summary, verdict, detail, trade_no, order_id, money_cents, currency, seen, received_at, last_at)
          VALUES ('stripe', ${String(index)}, '', '', '{}', 'refunded', '', '', ${order}, ${cents}, ${currency}, 1, 1, 1)`.execute(
          query,
        );
      }
    });
    expect(await migrate(db)).toContain('0033-order-refunds');
    const rows = await db.read.selectFrom('topup_order').select('refunded_cents').orderBy('id').execute();
    expect(rows.map((row) => row.refunded_cents)).toEqual([1000, 400, 0, 0, 0]);
  });

  test('rewards that waited for the first payment of somebody who had gone are void, no others', async () => {
    const db = await openRaw(await place({ isEmpty: true }));
    const last = migrations.findIndex(({ name }) => name === '0039-void-rewards');
    await migrate(db, migrations.slice(0, last));
    // Of somebody who is there, who was deregistered, who was removed; the last waits for its days, and one was paid.
    const rewards = [
      [1, -1, 'waiting'],
      [2, -1, 'waiting'],
      [3, -1, 'waiting'],
      [3, 9, 'waiting'],
      [2, -1, 'paid'],
    ] as const;
    await db.transaction(async ({ query }) => {
      for (const [id, gone] of [
        [1, null],
        [2, 5],
      ]) {
        await sql`INSERT INTO users (id, username, role, status, group_name, aff_code, created_at, deleted_at)
          VALUES (${id}, ${`u${id}`}, 1, 1, 'default', ${`u${id}`}, 1, ${gone})`.execute(query);
      }
      for (const [index, [invitee, due, state]] of rewards.entries()) {
        await sql`INSERT INTO invite_reward (inviter_id, invitee_id, kind, ref, amount, state, due_at, created_at)
          VALUES (1, ${invitee}, 'register', ${String(index)}, 5, ${state}, ${due}, 1)`.execute(query);
      }
    });
    expect(await migrate(db)).toContain('0039-void-rewards');
    const rows = await db.read.selectFrom('invite_reward').select('state').orderBy('id').execute();
    expect(rows.map(({ state }) => state)).toEqual(['waiting', 'void', 'void', 'waiting', 'paid']);
  });

  test('the dry run estimates from the rows that have to be read', async () => {
    const where = await place({ isEmpty: true });
    const db = await openRaw(where);
    await migrate(
      db,
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === '0019-log-windows'),
      ),
    );
    await db.transaction(({ query }) =>
      sql`INSERT INTO log (created_at, type, user_id, username) VALUES (1, 4, 1, 'a'), (1, 4, 1, 'b')`.execute(query),
    );
    const env = { DATABASE_URL: where.url, DATA_DIR: where.dataDir || undefined, SECRET_KEY };
    const answer = await runCommand(env, 'migrate', '--dry-run', '--json');
    expect(answer.json()).toMatchObject({
      estimated_seconds: 1,
      steps: expect.arrayContaining([{ name: '0019-log-windows', rows: 2 }]),
    });
    expect(await runCommand(env, 'migrate', '--dry-run')).toMatchObject({ out: expect.stringContaining('(2 rows to read)') });
    expect(await migrate(db)).toContain('0019-log-windows');
  });
});

test('a migration says which tables of before it goes through', async () => {
  const db = new Sqlite(':memory:');
  onTestFinished(() => void db.close());
  db.exec('CREATE TABLE migration (name text NOT NULL PRIMARY KEY, applied_at text NOT NULL)');
  const touched = new Set<string>();
  const execute: Execute = async (text, parameters) => {
    const table = /^(?:create (?:unique )?index \S+ on|update|insert into [\s\S]*\bfrom) "?(\w+)/i.exec(text.trim())?.[1];
    if (table !== undefined) touched.add(table);
    const statement = db.prepare(text);
    if (statement.reader) return { rows: statement.all(...parameters) as never, changes: 0 };
    return { rows: [], changes: statement.run(...parameters).changes };
  };
  const query = kyselyOver('sqlite', execute, { readOnly: false });
  for (const { name, up, reads = [] } of migrations) {
    const before = new Set(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all());
    touched.clear();
    await up(migrationContext('sqlite', query as never));
    const old = [...touched].filter((table) => before.has(table)).sort();
    expect({ name, reads: old.filter((table) => !reads.includes(table)) }).toEqual({ name, reads: [] });
  }
});
