import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { fixtureTables, userRow, writeSqliteFixture } from '../../test/import-kit.ts';
import { sha256 } from '../platform/crypto.ts';

const SECRET_KEY = '07'.repeat(32);
const tokens = ['p', 'q', 's', 't', 'u'].map((letter) => letter.repeat(32));

onEachEngine((_engine, open, { place }) => {
  const scene = async (names: readonly string[]) => {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'one-api.db');
    const users = names.map((username, index) => userRow(index + 2, { username, access_token: tokens[index] ?? '' }));
    writeSqliteFixture(file, fixtureTables['new-api'], { users });
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const bring = async (...more: string[]) => {
      const answer = await runCommand(env, 'import', '--from', file, '--json', ...more);
      expect(answer.exitCode, answer.err + answer.out).toBe(0);
      return answer.json().counts.users.changed;
    };
    const atSource = (change: string, name: string, ...values: string[]) => {
      const source = new Sqlite(file);
      source.prepare(`UPDATE users SET ${change} WHERE username = ?`).run(...values, name);
      source.close();
    };
    const held = async () => {
      const rows = await db.read.selectFrom('users').select(['username', 'session_epoch', 'access_token_hash']).execute();
      return Object.fromEntries(rows.map((row) => [row.username, [row.session_epoch, row.access_token_hash]]));
    };
    await bring();
    return { db, bring, atSource, held };
  };
  const [first = '', second = '', third = '', replaced = '', other = ''] = tokens;

  test('what a delta ends the sessions for ends the system access token, too', async () => {
    const { bring, atSource, held } = await scene(['ann', 'bob', 'eve']);
    expect(await held()).toMatchObject({ ann: [0, sha256(first)], bob: [0, sha256(second)], eve: [0, sha256(third)] });
    atSource('password = ?, access_token = ?', 'ann', hashSync('another-horse-77', 4), replaced);
    atSource('status = 2', 'bob');
    atSource("display_name = 'Eve L.'", 'eve');
    expect(await bring('--delta')).toBe(3);
    expect(await held()).toMatchObject({ ann: [1, null], bob: [1, null], eve: [0, sha256(third)] });
  });

  test('a delta brings a token that was replaced or withdrawn there, and leaves one alone that was made here', async () => {
    const { db, bring, atSource, held } = await scene(['ann', 'bob', 'eve']);
    const own = sha256('made here');
    await db.transaction((tx) =>
      tx.query.updateTable('users').set({ access_token_hash: own, display_name: 'here' }).where('username', '=', 'bob').execute(),
    );
    atSource('access_token = ?', 'ann', replaced);
    atSource('access_token = ?', 'bob', other);
    atSource("access_token = ''", 'eve');
    expect(await bring('--delta')).toBe(3);
    expect(await held()).toMatchObject({ ann: [0, sha256(replaced)], bob: [0, own], eve: [0, null] });
    const bob = await db.read.selectFrom('users').select('display_name').where('username', '=', 'bob').executeTakeFirst();
    expect(bob?.display_name).toBe('here');
    atSource('access_token = ?', 'eve', third);
    expect(await bring('--delta')).toBe(1);
    expect(await held()).toMatchObject({ eve: [0, sha256(third)] });
    expect(await bring('--delta')).toBe(0);
  });

  test('of a run that did not remember it nobody knows whose token it is: it stays, and is remembered', async () => {
    const { db, bring, atSource, held } = await scene(['ann']);
    await db.transaction(async (tx) => {
      const mark = await tx.query.selectFrom('import_row').selectAll().where('kind', '=', 'user').executeTakeFirstOrThrow();
      const { token, ...state } = JSON.parse(mark.state);
      expect(token).toBe(sha256(first));
      await tx.query
        .updateTable('import_row')
        .set({ state: JSON.stringify(state) })
        .where('kind', '=', 'user')
        .execute();
    });
    atSource('access_token = ?', 'ann', replaced);
    expect(await bring('--delta')).toBe(1);
    expect(await held()).toMatchObject({ ann: [0, sha256(first)] });
    atSource('access_token = ?', 'ann', other);
    expect(await bring('--delta')).toBe(1);
    expect(await held()).toMatchObject({ ann: [0, sha256(first)] });
  });
});
