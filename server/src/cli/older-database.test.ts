import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine, onSqlite, type Place } from '../../test/engines.ts';
import { readEnv } from '../env.ts';
import { openStorage } from '../main-storage.ts';
import type { Database } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';

const SECRET_KEY = 'ab'.repeat(32);
const command = /^The database is of an older version: run `npx tollgate migrate` first\n$/;
/** Of before what the ledger's proof, names and second factors need. */
const oldVersion = migrations.slice(0, 9);

const environment = ({ url, dataDir }: Place) => ({ DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY });

async function makeOld(place: Place, furnish: (db: Database) => Promise<unknown> = async () => undefined) {
  const db = await openStorage(readEnv(environment(place)));
  await migrate(db, oldVersion);
  await furnish(db).finally(() => db.close());
}

onEachEngine((_engine, _open, { place }) => {
  test('a command that cannot use the tables of an older version names the one that brings them', async () => {
    const where = await place({ isEmpty: true });
    await makeOld(where);
    const env = environment(where);
    for (const args of [
      ['doctor', 'ledger'],
      ['user', 'create', 'carol'],
      ['config', 'export'],
      ['keys', 'rotate', '--to', join(newFolder(), 'key')],
    ])
      expect(await runCommand(env, ...args), args.join(' ')).toMatchObject({
        exitCode: 1,
        err: expect.stringMatching(command),
      });
    await runCommand(env, 'migrate');
    expect(await runCommand(env, 'doctor', 'ledger')).toMatchObject({ exitCode: 0 });
  });
});

onEachEngine((_engine, _open, { place }) => {
  test('a database of another program is neither taken for an old one nor filled, and says what to do', async () => {
    const where = await place({ isEmpty: true });
    const env = environment(where);
    const db = await openStorage(readEnv(env));
    await db.transaction(({ query }) => sql`CREATE TABLE users (name text)`.execute(query)).finally(() => db.close());
    const refused = (text: RegExp) => ({ exitCode: 1, err: expect.stringMatching(text) });
    expect(await runCommand(env, 'migrate')).toMatchObject(
      refused(/users"? already exists\. It has tables of another program: .*import`\n$/),
    );
    const nothing = /^This database has nothing of Tollgate in it: name the right one/;
    expect(await runCommand(env, 'doctor', 'ledger')).toMatchObject(refused(nothing));
    if (where.url !== undefined) return;
    const file = join(newFolder(), 'copy.db');
    expect(await runCommand(env, 'backup', '--to', file)).toMatchObject(refused(nothing));
    expect(existsSync(file)).toBe(false);
  });
});

onSqlite((_engine, _open, { place }) => {
  test('a backup is made of an older version as well, before its migrations, and can be restored', async () => {
    const where = await place({ isEmpty: true });
    const user = sql`INSERT INTO users (username, password_hash, role, status, group_name, aff_code, created_at) VALUES ('dora', '', 1, 1, 'default', 'code', 1)`;
    await makeOld(where, (db) => db.transaction(({ query }) => user.execute(query)));
    const file = join(newFolder(), 'copy.db');
    const made = await runCommand(environment(where), 'backup', '--to', file);
    expect(made).toMatchObject({ exitCode: 0, out: expect.stringContaining('older version') });
    expect(made.out).toContain('is proven when it is restored');
    const target = { DATA_DIR: join(newFolder(), 'data'), SECRET_KEY };
    const restored = await runCommand(target, 'restore', '--from', file, '--json');
    expect(restored.json()).toMatchObject({ ok: true, applied: migrations.slice(oldVersion.length).map(({ name }) => name) });
    expect((await runCommand(target, 'user', 'list')).out).toContain('dora');
  });
});
