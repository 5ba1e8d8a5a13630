import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { type FixtureRows, fixtureTables, userRow, writeSqliteFixture } from '../../test/import-kit.ts';

const SECRET_KEY = 'ab'.repeat(32);

onEachEngine((_engine, open, { place }) => {
  const bring = async (rows: FixtureRows) => {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'one-api.db');
    writeSqliteFixture(file, fixtureTables['new-api'], rows);
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const run = async () => (await runCommand(env, 'import', '--from', file, '--json')).json();
    const prove = async () => (await runCommand(env, 'doctor', 'ledger', '--json')).json();
    return { db, run, prove };
  };

  test('balances that together are more than a number holds are compared to the unit', async () => {
    const balances = [999_999_999_999_999, 1, 1, 9_007_199_254_740_990, 999_999_999_999_999, 1, 3, 7];
    const users = balances.map((quota, index) => userRow(index + 1, { quota, used_quota: quota }));
    const { run, prove } = await bring({ users });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { imported: 8 } } });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { known: 8 } } });
    expect(await prove()).toMatchObject({ ok: true });
  });

  test('many users without a name, or with one name, all come', async () => {
    const users = Array.from({ length: 30 }, (_, index) =>
      userRow(index + 1, { username: index % 2 === 0 ? null : 'same', quota: 1 }),
    );
    const { db, run, prove } = await bring({ users });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { imported: 30 } } });
    const names = (await db.read.selectFrom('users').select('username').execute()).map(({ username }) => username);
    expect(new Set(names).size).toBe(30);
    expect(names.filter((name) => name === '')).toEqual([]);
    expect(await prove()).toMatchObject({ ok: true });
  });
});
