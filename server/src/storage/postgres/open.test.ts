import pg from 'pg';
import { expect, test } from 'vitest';
import { onPostgres, productWorks } from '../../../test/engines.ts';
import { migrate } from '../migrate.ts';
import { openSource } from '../move/open.ts';
import { openPostgres } from './open.ts';

const open = (url: string) => openPostgres({ url, worksModule: productWorks });

onPostgres((_engine, _open, { place }) => {
  test('a database that is not there is told with its place, by a move as well', async () => {
    const url = `${(await place()).url}_none`;
    const { host, pathname } = new URL(url);
    const told = `PostgreSQL at ${host}${pathname}: database "${pathname.slice(1)}" does not exist. See that it runs`;
    await expect(open(url)).rejects.toThrow(told);
    await expect(openSource({ url }, { isAlone: false })).rejects.toThrow(told);
  });

  test('a user who may not make tables is told what to allow, and one who may only read where to look', async () => {
    const where = await place({ isEmpty: true });
    const root = new pg.Client({ connectionString: where.url });
    await root.connect();
    const user = `guest_${process.pid}`;
    const url = new URL(where.url ?? '');
    await root.query(`CREATE ROLE ${user} LOGIN PASSWORD '${url.password}'`);
    url.username = user;
    const migrated = async () => {
      const db = await open(url.href);
      await migrate(db).finally(() => db.close());
    };
    try {
      await expect(migrated()).rejects.toThrow(/ permission denied for schema public\. Make .* OWNER TO <user>$/);
      await root.query(`ALTER ROLE ${user} SET default_transaction_read_only = on`);
      await expect(migrated()).rejects.toThrow(/read-only transaction\. .*takes writes$/);
    } finally {
      await root.query(`DROP ROLE ${user}`);
      await root.end();
    }
  });
});
