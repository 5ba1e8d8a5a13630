import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type Cut, startCuttingProxy } from '../../test/cutting-proxy.ts';
import { onPostgres, type Place, productWorks } from '../../test/engines.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { openDatabase } from './open.ts';

const cli = path.join(import.meta.dirname, '../cli-main.ts');
/** Steps that are interrupted: the last ones. */
const steps = process.env.TOLLGATE_SOAK === '1' ? 10 : 4;
const names = migrations.map(({ name }) => name);

onPostgres((_name, _open, { place }) => {
  /** A database of an older version, with rows. */
  async function oldDatabase(): Promise<Place> {
    const where = await place({ isEmpty: true });
    const db = await openDatabase({ ...where, synchronous: 'NORMAL', worksModule: productWorks });
    await migrate(db, migrations.slice(0, -steps));
    await db.transaction(({ query }) =>
      sql`INSERT INTO log (created_at, type, user_id, username) VALUES (1, 4, 1, 'a'), (2, 4, 1, 'b')`.execute(query),
    );
    await db.close();
    return where;
  }

  const begin = (url: string | undefined): ChildProcess => {
    const env = { ...process.env, DATABASE_URL: url, SECRET_KEY: 'ab'.repeat(32) };
    const child = spawn(process.execPath, [cli, 'migrate', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };

  test(
    'F-39: kill -9 at each step of a migration, before and after its COMMIT: the next run goes on, and the schema is that of a new database',
    async () => {
      const where = await oldDatabase();
      let child: ChildProcess | undefined;
      const proxy = await startCuttingProxy(where.url ?? '', () => void child?.kill('SIGKILL'));
      onTestFinished(() => proxy.close());
      for (let done = names.length - steps; done < names.length; done += 1) {
        for (const cut of ['before', 'after'] satisfies Cut[]) {
          proxy.cutNextCommit(cut);
          child = begin(proxy.url);
          expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
          await expect.poll(() => applied(where)).toEqual(names.slice(0, cut === 'after' ? done + 1 : done));
        }
      }
      child = begin(where.url);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await schemaOf(where)).toEqual(await schemaOf(await place()));
    },
    steps * 15_000,
  );

  test('F-39: two processes that migrate one database at once all end well', async () => {
    const where = await oldDatabase();
    const ends = await Promise.all([1, 2].map(() => once(begin(where.url), 'exit')));
    expect(ends).toEqual(ends.map(() => [0, null]));
    expect(await applied(where)).toEqual(names);
    expect(await schemaOf(where)).toEqual(await schemaOf(await place()));
  }, 60_000);
});

async function ask<T>({ url }: Place, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

async function applied(where: Place): Promise<string[]> {
  return (await ask<{ name: string }>(where, 'SELECT name FROM migration ORDER BY name')).map(({ name }) => name);
}

/** Columns, indexes, constraints, triggers and parts, each as one line. */
async function schemaOf(where: Place): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    where,
    `SELECT concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default) AS line
       FROM information_schema.columns WHERE table_schema = 'public'
     UNION ALL SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT concat_ws(' ', 'part', inhparent::regclass, inhrelid::regclass) FROM pg_inherits
     ORDER BY line`,
  );
  return rows.map(({ line }) => line);
}
