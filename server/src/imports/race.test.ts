import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import {
  channelRow,
  type FixtureRows,
  fixtureTables,
  logRow,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../test/import-kit.ts';
import { systemClock } from '../platform/clock.ts';
import { createCrypto } from '../platform/crypto.ts';
import { createSettings } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { openSource } from './open-source.ts';
import { runImport } from './run.ts';
import type { Source } from './source.ts';

const SECRET_KEY = 'ab'.repeat(32);
/** Somebody without any money, too: no transfer would tell that he came twice. */
const site: FixtureRows = {
  users: [
    userRow(1, { username: 'root', role: 100, quota: 1_000 }),
    userRow(2, { username: 'alice', quota: 500, used_quota: 7 }),
    userRow(3, { username: 'empty', quota: 0 }),
  ],
  tokens: [tokenRow(1, 2, { remain_quota: 100, used_quota: 5 })],
  channels: [channelRow(1, 1, { key: 'sk-one-0123456789' })],
  redemptions: [{ id: 1, user_id: 1, key: 'a'.repeat(32), status: 1, name: 'gift', quota: 5, created_time: 1, expired_time: 0 }],
  logs: [logRow(1, 2, { quota: 7, token_id: 1 })],
  options: [{ key: 'SystemName', value: 'Old site' }],
};
type Mode = 'import' | 'delta';

/** Where a run ended: the table of the source that it came to last, and why it gave up; undefined = it did not. */
interface End {
  readonly table: string;
  readonly reason: string | undefined;
}
/** One run that has read this table and what is known of it, and waits before it writes. */
type Run = (mode: Mode, table: string, arrive: () => Promise<void>, through?: Database) => Promise<End>;

function runsOf(db: Database, file: string): Run {
  const crypto = createCrypto(Buffer.from(SECRET_KEY, 'hex'));
  const common = { crypto, clock: systemClock, progress: () => undefined };
  return async (mode, table, arrive, through = db) => {
    let last = '';
    const held: Database = {
      ...through,
      transaction: async (body, options) => {
        if (last === table) await arrive();
        return through.transaction(body, options);
      },
    };
    const parts = { ...common, db: held };
    const settings = await createSettings({ ...parts, changes: { notify: () => undefined }, warn: () => undefined });
    const source = await openSource({ file });
    const page: Source['page'] = (name, options) => {
      last = name;
      return source.page(name, options);
    };
    const ended = runImport({ ...parts, settings, mode, source: { ...source, page } });
    const reason = await ended.then(
      () => undefined,
      (error: unknown) => String(error),
    );
    await source.close();
    return { table: last, reason };
  };
}

const overtakenAt = (table: string) => ({ table, reason: expect.stringContaining('Another import runs on this database') });

/** Two runs that have both read before either writes: whichever comes second ends right there. */
async function race(run: Run, mode: Mode, table: string): Promise<void> {
  const { promise: met, resolve } = Promise.withResolvers<void>();
  let there = 0;
  const arrive = () => {
    there += 1;
    if (there === 2) resolve();
    return met;
  };
  const ends = await Promise.all([run(mode, table, arrive), run(mode, table, arrive)]);
  expect(ends.filter(({ reason }) => reason !== undefined)).toEqual([overtakenAt(table)]);
}

/** Whose transactions are overtaken once, after the first statement that found nothing. */
function overtaken(db: Database, others: () => Promise<void>): Database {
  let isOvertaken = false;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isOvertaken && result.rows.length === 0) {
        isOvertaken = true;
        await others();
      }
      return result;
    },
  };
  return {
    ...db,
    transaction: (body, options) => db.transaction((tx) => body({ ...tx, query: tx.query.withPlugin(plugin) }), options),
  };
}

async function stateOf({ read }: Database) {
  const users = await read.selectFrom('users').select(['username', 'role']).orderBy('id').execute();
  const wallets = await read
    .selectFrom('wallet')
    .select(['available', 'used_quota', 'request_count'])
    .orderBy('user_id')
    .execute();
  const transfers = await read.selectFrom('transfer').select(['ref', 'amount']).orderBy('ref').execute();
  const tokens = await read.selectFrom('token').select(['remain_quota', 'used_quota', 'granted_quota']).execute();
  const channels = await read.selectFrom('channel').select(['name', 'used_quota']).execute();
  const codes = await read.selectFrom('redemption').select(['name', 'status']).execute();
  const logs = await read
    .selectFrom('log')
    .leftJoin('token', 'token.id', 'log.token_id')
    .select(['log.quota', 'token.name'])
    .where('log.type', '=', 2)
    .execute();
  return { users, wallets, transfers, tokens, channels, codes, logs };
}

onEachEngine((engine, open, { place }) => {
  const begin = async () => {
    const where = await place();
    const file = join(newFolder(), 'one-api.db');
    writeSqliteFixture(file, fixtureTables['new-api'], site);
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const db = await open({ place: where });
    const change = (statement: string) => {
      const source = new Sqlite(file);
      source.exec(statement);
      source.close();
    };
    return { db, env, change, bring: (...more: string[]) => runCommand(env, 'import', '--from', file, '--json', ...more), file };
  };
  const isGreen = async (env: Record<string, string | undefined>) =>
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });

  test('two runs at once bring everything once, wherever they meet', async () => {
    const alone = await begin();
    expect((await alone.bring()).exitCode).toBe(0);
    const expected = await stateOf(alone.db);
    for (const table of ['users', 'options', 'tokens', 'channels', 'redemptions', 'logs']) {
      const { db, env, bring, file } = await begin();
      const run = runsOf(db, file);
      expect(await run('import', table, () => Promise.reject(new Error('cut off')))).toEqual({ table, reason: 'Error: cut off' });
      await race(run, 'import', table);
      expect((await bring()).json()).toMatchObject({ ok: true });
      expect(await stateOf(db), table).toEqual(expected);
      await isGreen(env);
    }
  });

  test.each(['tokens', 'redemptions'])(
    'what another run has brought of the %s meanwhile is not left out as taken',
    async (table) => {
      const { db, env, bring, file } = await begin();
      const run = runsOf(db, file);
      const cutOff = () => Promise.reject(new Error('cut off'));
      const other = async () => expect(await run('import', 'logs', cutOff)).toEqual({ table: 'logs', reason: 'Error: cut off' });
      // Not even where it could do all the rest alone: log rows would come without the tokens that it left out.
      expect(await run('import', table, other)).toEqual(overtakenAt(table));
      expect((await bring()).json()).toMatchObject({ ok: true });
      expect((await stateOf(db)).logs).toEqual([{ quota: 7, name: 'token 1' }]);
      await isGreen(env);
    },
  );

  test('an option that another run brought and somebody changed meanwhile stays as it was changed', async () => {
    const { db, bring, file } = await begin();
    const named = db.read.selectFrom('option').select('value').where('key', '=', 'SystemName');
    let isFirst = true;
    const others = async () => {
      if (!isFirst) return;
      isFirst = false;
      expect((await bring()).exitCode).toBe(0);
      expect(await named.execute()).toEqual([{ value: 'Old site' }]);
      await db.transaction(({ query }) =>
        query.updateTable('option').set({ value: 'New site' }).where('key', '=', 'SystemName').execute(),
      );
    };
    expect(await runsOf(db, file)('import', 'options', others)).toEqual(overtakenAt('options'));
    expect(await named.execute()).toEqual([{ value: 'New site' }]);
  });

  // Elsewhere transactions follow one another: nobody comes between two statements.
  if (engine === 'postgres') {
    test('a run that is overtaken between two of its statements gives up', async () => {
      const { db, env, bring, file } = await begin();
      const run = runsOf(db, file);
      const others = async () => expect((await bring()).exitCode).toBe(0);
      expect(await run('import', 'users', () => Promise.resolve(), overtaken(db, others))).toEqual(overtakenAt('users'));
      expect((await bring()).json()).toMatchObject({ ok: true });
      await isGreen(env);
    });
  }

  test.each([
    ['users', 'UPDATE users SET quota = quota - 100, used_quota = used_quota + 100, request_count = 3 WHERE id = 2'],
    ['users', 'UPDATE users SET request_count = 3 WHERE id = 3'],
    ['tokens', 'UPDATE tokens SET remain_quota = 60, used_quota = 45 WHERE id = 1'],
    ['redemptions', 'UPDATE redemptions SET status = 3 WHERE id = 1'],
  ])('two deltas at once book a change of %s once: %s', async (table, statement) => {
    const alone = await begin();
    const both = await begin();
    for (const { bring, change } of [alone, both]) {
      expect((await bring()).exitCode).toBe(0);
      change(statement);
    }
    expect((await alone.bring('--delta')).exitCode).toBe(0);
    await race(runsOf(both.db, both.file), 'delta', table);
    expect(await stateOf(both.db)).toEqual(await stateOf(alone.db));
    await isGreen(both.env);
  });
});
