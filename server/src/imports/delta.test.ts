import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { type FixtureRows, fixtureTables, tokenRow, userRow, writeSqliteFixture } from '../../test/import-kit.ts';

const SECRET_KEY = 'ab'.repeat(32);
const codeRow = (id: number, more: object = {}) => ({
  ...{ id, user_id: 1, key: String(id).repeat(32), status: 1, name: `code ${id}`, quota: 5, created_time: 1 },
  ...more,
});

onEachEngine((_engine, open, { place }) => {
  /** A site that was brought over once. */
  const scene = async (rows: FixtureRows, product: keyof typeof fixtureTables = 'new-api') => {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'one-api.db');
    writeSqliteFixture(file, fixtureTables[product], rows);
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const bring = async (...more: string[]) => {
      const answer = await runCommand(env, 'import', '--from', file, '--json', ...more);
      expect(answer.exitCode, answer.err + answer.out).toBe(0);
      return answer.json();
    };
    const atSource = (...statements: string[]) => {
      const source = new Sqlite(file);
      for (const statement of statements) source.exec(statement);
      source.close();
    };
    const tokens = () => db.read.selectFrom('token').selectAll().orderBy('id').execute();
    const users = () => db.read.selectFrom('users').selectAll().orderBy('id').execute();
    const codes = async () =>
      (await db.read.selectFrom('redemption').select('status').orderBy('id').execute()).map(({ status }) => status);
    await bring();
    return { db, env, bring, atSource, tokens, users, codes };
  };

  test('what is no longer in the tables there ends here with a delta; of a user without a row it is said', async () => {
    const { env, bring, atSource, tokens, users, codes } = await scene(
      {
        users: [userRow(1, { username: 'root', role: 100 }), userRow(2, { quota: 70, used_quota: 3 }), userRow(3)],
        tokens: [tokenRow(1, 2), tokenRow(2, 2), tokenRow(3, 3)],
        redemptions: [codeRow(1), codeRow(2), codeRow(3), codeRow(4, { status: 2 })],
      },
      'one-api',
    );
    atSource('DELETE FROM tokens WHERE id = 1', 'DELETE FROM redemptions WHERE id = 1', 'DELETE FROM users WHERE id = 2');
    atSource('UPDATE redemptions SET status = 2 WHERE id = 2');
    const told = { 'users.missing': 1, 'tokens.deleted_since': 1, 'redemptions.deleted_since': 1 };
    const plain = await bring();
    expect(plain).toMatchObject({ noted: told, counts: { tokens: { changed: 1 }, redemptions: { changed: 2 } } });
    expect(plain.notes).toContainEqual({ kind: 'users', what: 'missing', key: '2', detail: 'user2' });
    expect((await tokens()).map(({ deleted_at: at }) => at)).toEqual([null, null, null]);
    expect(await codes()).toEqual([1, 1, 1, 2]);
    expect((await bring('--delta')).noted).toMatchObject(told);
    expect((await tokens()).map(({ deleted_at: at, status }) => [at !== null, status])).toEqual([
      [true, 2],
      [false, 1],
      [false, 1],
    ]);
    expect(await codes()).toEqual([2, 2, 1, 2]);
    expect((await users()).map(({ status }) => status)).toEqual([1, 1, 1]);
    const again = await bring('--delta');
    expect(again.counts).toMatchObject({ tokens: { changed: 0 }, redemptions: { changed: 0 } });
    expect(again.noted).toEqual({ 'tokens.ownerless': 1, 'users.missing': 1, 'logs.elsewhere': 1 });
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  });
});
