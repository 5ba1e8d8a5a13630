import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onPostgres, onSqlite } from '../../test/engines.ts';
import { giveToken, giveWallet } from '../../test/ledger-kit.ts';
import { lockFile } from '../storage/file-lock.ts';
import { migrate } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';

const SECRET_KEY = 'ab'.repeat(32);

/** The file with nonsense where the first page of a table is. */
function withoutPageOf(table: string, file: string): Buffer {
  const db = new Sqlite(file, { readonly: true });
  const page = Number(db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(table));
  db.close();
  const bytes = readFileSync(file);
  return bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
}

test('a database on a server is left to its own tools, and says which', async () => {
  const env = { DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none', SECRET_KEY };
  const file = join(newFolder(), 'copy');
  const documents = ['operations.md', 'manual/en/operations.md', 'manual/zh/operations.md'].map((name) =>
    readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8'),
  );
  for (const [command, option, tool] of [
    ['backup', '--to', /pg_dump --format=custom .*$/],
    ['restore', '--from', /pg_restore --exit-on-error --no-owner .*(?=, then npx tollgate after-restore$)/],
  ] as const) {
    const answer = await runCommand(env, command, option, file);
    expect(answer).toMatchObject({ exitCode: 2, err: expect.stringMatching(new RegExp(tool.source, 'm')) });
    expect(answer.err).not.toContain('secret-word');
    const [told = 'nothing'] = tool.exec(answer.err.trim()) ?? [];
    for (const text of documents) expect(text).toContain(told);
  }
  for (const text of documents) expect(text).toContain('npx tollgate after-restore');
});

test('the outbox of a server that runs is not set aside under its hands', async () => {
  const DATA_DIR = newFolder();
  writeFileSync(join(DATA_DIR, 'outbox'), '{}\n');
  const lock = lockFile(join(DATA_DIR, 'outbox.lock'));
  onTestFinished(() => lock?.release());
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', DATA_DIR, SECRET_KEY };
  expect(await runCommand(env, 'after-restore')).toMatchObject({ exitCode: 1, err: expect.stringContaining('A server runs') });
  expect(existsSync(join(DATA_DIR, 'outbox'))).toBe(true);
});

test('where there is no database nothing is backed up and nothing is made', async () => {
  const DATA_DIR = join(newFolder(), 'data');
  const file = join(newFolder(), 'copy');
  const answer = await runCommand({ DATA_DIR, SECRET_KEY }, 'backup', '--to', file);
  expect(answer).toMatchObject({ exitCode: 1, err: expect.stringContaining('no database') });
  expect([existsSync(DATA_DIR), existsSync(file)]).toEqual([false, false]);
});

test('the command of the runbook gives the disk the room of deleted rows back', () => {
  const runbook = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
  const [, code = ''] = runbook.match(/node -e "(.*?)"/) ?? [];
  const file = join(newFolder(), 'tollgate.db');
  const db = new Sqlite(file);
  db.exec('CREATE TABLE rows (text)');
  db.prepare('INSERT INTO rows VALUES (?)').run('x'.repeat(1_000_000));
  db.exec('DELETE FROM rows');
  db.close();
  const options = { cwd: new URL('../../..', import.meta.url), encoding: 'utf8' } as const;
  const ran = spawnSync(process.execPath, ['-e', code.replace('/data/tollgate.db', file)], options);
  expect(ran.stderr).toBe('');
  expect(statSync(file).size).toBeLessThan(100_000);
});

test.skipIf(process.platform === 'win32')('a copy for which there is no room leaves nothing behind', () => {
  const folder = newFolder();
  const module = new URL('../storage/sqlite/copy.ts', import.meta.url).href;
  const program = `(await import(${JSON.stringify(module)})).openStage(${JSON.stringify(folder)}, '.part-')`;
  const script = 'ulimit -f 0 && exec "$0" --input-type=module --eval "$1"';
  expect(spawnSync('sh', ['-c', script, process.execPath, program])).toMatchObject({ status: 1 });
  expect(readdirSync(folder)).toEqual([]);
});

onSqlite((_engine, open, { place }) => {
  /** A data folder with some money in it, and one backup of that. */
  const furnished = async () => {
    const where = await place();
    const env = { DATA_DIR: where.dataDir, SECRET_KEY };
    const db = await open({ place: where });
    await giveWallet(db, 1, 1_000_000);
    await giveToken(db, 1, { remain: 0, unlimited: true });
    const folder = newFolder();
    const file = join(folder, 'copy.db');
    const made = await runCommand(env, 'backup', '--to', file, '--json');
    expect(made.json()).toMatchObject({
      ...{ ok: true, file, bytes: statSync(file).size, proof: { ok: true } },
      database: join(where.dataDir, 'tollgate.db'),
    });
    return { db, env, folder, file };
  };

  test('a backup is one private file, replaces nothing and leaves nothing else behind', async () => {
    const { env, folder, file } = await furnished();
    expect(readdirSync(folder)).toEqual(['copy.db']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file);
    expect(await runCommand(env, 'backup', '--to', file)).toMatchObject({ exitCode: 1, err: expect.stringContaining('exists') });
    expect(readFileSync(file).equals(before)).toBe(true);
    const nowhere = join(folder, 'no', 'such', 'folder');
    expect(await runCommand(env, 'backup', '--to', nowhere)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('no folder'),
    });
    expect(readdirSync(folder)).toEqual(['copy.db']);
  });

  test('a backup for which there is no room, or a place that cannot be one, is refused before anything is copied', async () => {
    const { env, folder, file } = await furnished();
    const to = (target: string, more: Record<string, string> = {}) => runCommand({ ...env, ...more }, 'backup', '--to', target);
    const refused = (text: RegExp) => ({ exitCode: 1, err: expect.stringMatching(text) });
    expect(await to(join(folder, 'next.db'), { DISK_RESERVE_MB: '900000000' })).toMatchObject(
      refused(/^There is no room for the backup: it takes 1 MiB, 900000000 MiB stay free .* file on another disk\n$/),
    );
    expect(await to(folder)).toMatchObject(refused(/ is a folder: name a file in it\n$/));
    expect(await to(join(file, 'below.db'))).toMatchObject(refused(/^There is no folder .*copy\.db\n$/));
    expect(await runCommand({ ...env, DATA_DIR: newFolder() }, 'restore', '--from', folder)).toMatchObject(
      refused(/^There is no file /),
    );
    expect(readdirSync(folder)).toEqual(['copy.db']);
  });

  test('what a backup or a restore left that was killed goes with the next one, and nothing of one that still works', async () => {
    const { db, env, folder, file } = await furnished();
    await db.close();
    for (const [place, prefix, args] of [
      [folder, '.tollgate-backup-', ['backup', '--to', join(folder, 'next.db')]],
      [env.DATA_DIR, '.restore-', ['restore', '--from', file, '--force']],
    ] as const) {
      const stages = ['killed', 'at-work', 'just-made'].map((name) => join(place, prefix + name));
      for (const stage of stages) {
        mkdirSync(stage);
        writeFileSync(join(stage, 'tollgate.db'), 'half of it');
      }
      const [killed = '', atWork = '', justMade = ''] = stages;
      const lock = lockFile(join(atWork, 'lock'));
      onTestFinished(() => lock?.release());
      const noStage = join(place, `${prefix}notes`);
      writeFileSync(noStage, 'a file of somebody');
      for (const old of [killed, atWork, noStage]) utimesSync(old, 1, 1);
      expect(await runCommand(env, ...args)).toMatchObject({ exitCode: 0 });
      const left = readdirSync(place).filter((name) => name.startsWith(prefix));
      expect(left.map((name) => join(place, name)).sort()).toEqual([atWork, justMade, noStage]);
    }
  });

  test('books that do not add up are not backed up as if they did', async () => {
    const { db, env, folder } = await furnished();
    await db.transaction((tx) => tx.query.updateTable('wallet').set({ available: 1 }).execute());
    const answer = await runCommand(env, 'backup', '--to', join(folder, 'wrong.db'));
    expect(answer).toMatchObject({ exitCode: 1, out: expect.stringContaining('first difference: user:1') });
    expect(readdirSync(folder)).toEqual(['copy.db']);
  });

  test('restore refuses a folder with a database, and with --force one that a server has open', async () => {
    const { db, env, file } = await furnished();
    expect(await runCommand(env, 'restore', '--from', file)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('--force'),
    });
    expect(await runCommand(env, 'restore', '--from', file, '--force')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('A server runs'),
    });
    await giveWallet(db, 2, 5);
    await db.close();
    const moved = await runCommand(env, 'restore', '--from', file, '--force', '--json');
    expect(moved.json()).toMatchObject({ ok: true, replaced: expect.stringContaining('tollgate.db.replaced-') });
    const wallets = async (place: { url: undefined; dataDir: string }) =>
      (await (await open({ place })).read.selectFrom('wallet').select('user_id').execute()).map((row) => row.user_id);
    expect(await wallets({ url: undefined, dataDir: env.DATA_DIR })).toEqual([1]);
    const aside = newFolder();
    writeFileSync(join(aside, 'tollgate.db'), readFileSync(moved.json().replaced));
    expect(await wallets({ url: undefined, dataDir: aside })).toEqual([1, 2]);
  });

  test('a restore lets nobody in who was thrown out since, sends nothing again and names the orders of the gap', async () => {
    const { db, env, folder } = await furnished();
    const order = { provider: 'epay', method: 'alipay', amount: 1, quota: 5, money_cents: 730, currency: 'cny', expires_at: 9 };
    const orders = (...rows: [string, string, number][]) =>
      db.transaction(async (tx) => {
        const values = rows.map(([trade_no, state, created_at]) => ({ ...order, user_id: 1, trade_no, state, created_at }));
        await tx.query.insertInto('topup_order').values(values).execute();
      });
    await orders(['OLD', 'expired', 10], ['OPEN', 'pending', 20]);
    await db.transaction(async (tx) => {
      const times = { session_epoch: 0, created_at: 1, seen_at: 1, ip: '', user_agent: '' };
      await tx.query
        .insertInto('session')
        .values({ ...times, id_hash: 'stolen', user_id: 1 })
        .execute();
      const link = { kind: 'reset', user_id: 1, payload: '', tries: 0, expires_at: 9_999_999_999 };
      await tx.query
        .insertInto('one_time')
        .values({ ...link, key_hash: 'link' })
        .execute();
      const way = { way: 'email', due_at: 1, created_at: 1 };
      const notification = { event: 'announcement', body: '{}', audience: 'all', created_at: 1 };
      await tx.query.insertInto('notification').values(notification).execute();
      const sent = { ...way, notification_id: 1, user_id: 1, state: 'sent' };
      await tx.query
        .insertInto('notification_delivery')
        .values([sent, { ...sent, user_id: 2, state: 'waiting' }])
        .execute();
    });
    const file = join(folder, 'full.db');
    await runCommand(env, 'backup', '--to', file);
    await orders(['NEW', 'paid', 4_000_000_000]);
    await db.close();
    writeFileSync(join(env.DATA_DIR, 'outbox'), '{}\n');
    const moved = (await runCommand(env, 'restore', '--from', file, '--force', '--json')).json();
    expect(moved).toMatchObject({
      voided: { sessions: 1, codes: 1, accessTokens: 0, messages: 2 },
      pending: [{ tradeNo: 'OPEN' }],
      lost: [{ tradeNo: 'NEW', state: 'paid', userId: 1, moneyCents: 730 }],
      outboxes: [expect.stringContaining('outbox.replaced-')],
    });
    expect(existsSync(join(env.DATA_DIR, 'outbox'))).toBe(false);
    const again = await open({ place: { url: undefined, dataDir: env.DATA_DIR } });
    expect(await again.read.selectFrom('session').select('id_hash').execute()).toEqual([]);
    expect(await again.read.selectFrom('notification_delivery').select('state').execute()).toEqual([{ state: 'sent' }]);
    expect(await again.read.selectFrom('audit').select('action').execute()).toEqual([{ action: 'restore' }]);
    await again.close();
    const after = await runCommand(env, 'after-restore');
    expect(after).toMatchObject({ exitCode: 0, out: expect.stringContaining('Void now: 0 sessions') });
    expect(after.out).toMatch(/OPEN {2}user 1 {2}epay {2}7\.30 cny {2}pending/);
  });

  test('a restore names every order of the gap, however many there are', async () => {
    const { db, env, file } = await furnished();
    const order = { provider: 'epay', method: 'alipay', amount: 1, quota: 5, money_cents: 730, currency: 'cny', expires_at: 9 };
    const all = Array.from({ length: 2_500 }, (_, index) => `N${index}`);
    for (let from = 0; from < all.length; from += 500) {
      const rows = all.slice(from, from + 500).map((trade_no) => ({ ...order, user_id: 1, trade_no, state: 'paid' }));
      await db.transaction((tx) =>
        tx.query
          .insertInto('topup_order')
          .values(rows.map((row) => ({ ...row, created_at: 4_000_000_000 })))
          .execute(),
      );
    }
    await db.close();
    const moved = (await runCommand(env, 'restore', '--from', file, '--force', '--json')).json();
    const names = moved.lost.map(({ tradeNo }: { tradeNo: string }) => tradeNo);
    expect([names.length, names[0], names.at(-1)]).toEqual([all.length, 'N2499', 'N0']);
  });

  test('charges that waited for the database of before are set aside by who restored with other tools as well', async () => {
    const { db, env } = await furnished();
    await db.close();
    writeFileSync(join(env.DATA_DIR, 'outbox-2'), '{}\n');
    const after = (await runCommand(env, 'after-restore', '--json')).json();
    expect(after.outboxes).toEqual([expect.stringContaining('outbox-2.replaced-')]);
    expect(existsSync(join(env.DATA_DIR, 'outbox-2'))).toBe(false);
    expect(readFileSync(after.outboxes[0], 'utf8')).toBe('{}\n');
    expect((await runCommand(env, 'after-restore', '--json')).json()).toMatchObject({ outboxes: [] });
  });

  test('a backup that is torn, from a newer version or without its key changes nothing', async () => {
    const { db, env, file } = await furnished();
    const target = { DATA_DIR: join(newFolder(), 'data'), SECRET_KEY };
    const torn = join(newFolder(), 'torn');
    writeFileSync(torn, readFileSync(file));
    truncateSync(torn, statSync(torn).size - 3 * 4096);
    const saysWhich = { exitCode: 1, err: expect.stringMatching(`^${torn} could not .* take an earlier backup\n$`) };
    expect(await runCommand(target, 'restore', '--from', torn)).toMatchObject(saysWhich);
    writeFileSync(torn, 'not a database'.repeat(1000));
    expect(await runCommand(target, 'restore', '--from', torn)).toMatchObject(saysWhich);
    const namesIt = {
      exitCode: 1,
      err: expect.stringMatching(`^${torn} is damaged \\(.*take an earlier backup\\. Nothing was changed\n$`),
    };
    for (const table of ['notification', 'transfer']) {
      writeFileSync(torn, withoutPageOf(table, file));
      expect(await runCommand(target, 'restore', '--from', torn), table).toMatchObject(namesIt);
    }
    expect(await runCommand({ DATA_DIR: target.DATA_DIR }, 'restore', '--from', file)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('secret.key'),
    });
    await migrate(db, [...migrations, { name: '9999-later', up: async () => undefined }]);
    const later = join(newFolder(), 'later');
    await runCommand(env, 'backup', '--to', later);
    expect(await runCommand(target, 'restore', '--from', later)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('newer version'),
    });
    expect(existsSync(target.DATA_DIR) ? readdirSync(target.DATA_DIR) : []).toEqual([]);
  });

  test('a journal of a database that is gone is not played into the restored one', async () => {
    const { db, env, file } = await furnished();
    await giveWallet(db, 2, 5);
    const journal = readFileSync(join(env.DATA_DIR, 'tollgate.db-wal'));
    await db.close();
    rmSync(join(env.DATA_DIR, 'tollgate.db'));
    writeFileSync(join(env.DATA_DIR, 'tollgate.db-wal'), journal);
    expect(await runCommand(env, 'restore', '--from', file)).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(`\nDatabase: ${join(env.DATA_DIR, 'tollgate.db')}\n`),
    });
    expect(readdirSync(env.DATA_DIR).filter((name) => name.startsWith('tollgate.db-'))).toEqual([]);
    expect(await runCommand(env, 'doctor', 'ledger')).toMatchObject({ exitCode: 0 });
  });
});

onPostgres((_engine, open, { place }) => {
  test('a restored PostgreSQL knows what its tables hold before a server reads them', async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveWallet(db, 1, 1_000);
    const known = () => sql<{ table: string }>`SELECT DISTINCT tablename AS "table" FROM pg_stats WHERE tablename = 'wallet'`;
    expect((await known().execute(db.read)).rows).toEqual([]);
    const env = { DATABASE_URL: where.url, DATA_DIR: newFolder(), SECRET_KEY };
    expect(await runCommand(env, 'after-restore')).toMatchObject({ exitCode: 0 });
    expect((await known().execute(db.read)).rows).toEqual([{ table: 'wallet' }]);
  });
});
