import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder, runCommand } from '../test/cli-kit.ts';
import { onEachEngine, onSqlite, type Place } from '../test/engines.ts';
import { giveToken, giveWallet } from '../test/ledger-kit.ts';
import { readEnv } from './env.ts';
import { bringUpToDate, version } from './main-migrate.ts';
import { openStorage } from './main-storage.ts';
import { systemClock } from './platform/clock.ts';
import { openStage } from './storage/backup.ts';
import { migrate } from './storage/migrate.ts';
import { type Migration, migrations } from './storage/migrations/index.ts';

const SECRET_KEY = 'ab'.repeat(32);

const next: Migration = {
  name: '9001-next',
  up: async ({ query }) => void (await sql`CREATE TABLE t_next (a integer)`.execute(query)),
};
const failing: Migration = {
  name: '9002-failing',
  up: () => Promise.reject(new Error('no such thing')),
};

function upgrade({ url, dataDir }: Place) {
  const env = { DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY };
  const told: string[] = [];
  const log = { info: (text: string) => void told.push(text), warn: (text: string) => void told.push(`warn: ${text}`) };
  const run = async (known: readonly Migration[], more: Record<string, string> = {}, nowMs = Date.now()) => {
    const settings = readEnv({ ...env, ...more });
    const clock = { ...systemClock, nowMs: () => nowMs };
    const db = await openStorage(settings);
    return bringUpToDate({ db, env: settings, clock, log, known }).finally(() => db.close());
  };
  return { env, told, run, folder: join(dataDir, 'backups') };
}

onEachEngine((engine, _open, { place }) => {
  test('nothing is copied where nothing is to be done, for a new database, or on a server', async () => {
    const fresh = upgrade(await place({ isEmpty: true }));
    expect(await fresh.run(migrations)).toMatchObject({ backup: null, isNew: true });
    expect(await fresh.run(migrations)).toEqual({ applied: [], backup: null, isNew: false });
    expect(fresh.told).toEqual([]);
    if (engine === 'sqlite') {
      expect(existsSync(fresh.folder)).toBe(false);
      expect(await fresh.run([...migrations, next], { MIGRATION_BACKUP_DIR: 'off' })).toEqual({
        applied: [next.name],
        backup: null,
        isNew: false,
      });
    } else {
      expect(await fresh.run([...migrations, next])).toEqual({ applied: [next.name], backup: null, isNew: false });
    }
    expect(fresh.told[0]).toContain('your own backup');
  });
});

onSqlite((_engine, open, { place }) => {
  const furnished = async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveWallet(db, 1, 1_000_000);
    await giveToken(db, 1, { remain: 0, unlimited: true });
    return { ...upgrade(where), db };
  };

  test('before a migration there is a proven copy, and the way back that is told leads there', async () => {
    const { env, told, run, folder, db } = await furnished();
    const { applied, backup } = await run([...migrations, next]);
    expect(applied).toEqual([next.name]);
    expect(backup).toMatch(new RegExp(`before-${version.replaceAll('.', '\\.')}-\\d{8}T\\d{6}Z\\.db$`));
    expect(readdirSync(folder)).toEqual([backup?.slice(folder.length + 1)]);
    expect(statSync(backup ?? '').mode & 0o777).toBe(0o600);
    expect(told.filter((text) => text.startsWith('warn'))).toEqual([]);
    const back = told.find((text) => text.includes('restore --from')) ?? '';
    await giveWallet(db, 2, 5);
    await db.close();
    const args = back.slice(back.indexOf('restore --from')).split(' ');
    expect(await runCommand(env, ...args)).toMatchObject({ exitCode: 0 });
    const restored = await open({ place: { url: undefined, dataDir: env.DATA_DIR } });
    expect((await restored.read.selectFrom('wallet').select('user_id').execute()).map((row) => row.user_id)).toEqual([1]);
    const { rows } = await sql`SELECT name FROM migration WHERE name = ${next.name}`.execute(restored.read);
    expect(rows).toEqual([]);
  });

  test('books that were wrong before are told, and the copy is kept all the same', async () => {
    const { told, run, db } = await furnished();
    await db.transaction((tx) => tx.query.updateTable('wallet').set({ available: 1 }).execute());
    expect(await run([...migrations, next])).toMatchObject({ applied: [next.name], backup: expect.any(String) });
    expect(told.find((text) => text.startsWith('warn'))).toContain('user:1');
  });

  test('the last three copies stay, and what a killed start left goes', async () => {
    const { run, folder } = await furnished();
    mkdirSync(join(folder, '.before-migration-dead'), { recursive: true });
    writeFileSync(join(folder, 'mine.db'), '');
    const known = [...migrations];
    for (let year = 2030; year < 2035; year += 1) {
      known.push({ ...next, name: `9${year}`, up: async () => undefined });
      await run(known, {}, Date.UTC(year, 0, 1));
    }
    const stamps = ['20320101', '20330101', '20340101'].map((day) => `before-${version}-${day}T000000Z.db`);
    expect(readdirSync(folder).sort()).toEqual([...stamps, 'mine.db'].sort());
  });

  test('what another process copies at the same time stays', async () => {
    const { run, folder } = await furnished();
    mkdirSync(folder);
    const other = openStage(folder, '.before-migration-');
    onTestFinished(other.discard);
    await run([...migrations, next]);
    expect(existsSync(other.folder)).toBe(true);
  });

  test('a start that fails again and again keeps the copy of before the first one, and makes no more', async () => {
    const { told, run, folder } = await furnished();
    const known = [...migrations, next, failing];
    const startMs = Date.UTC(2030, 0, 1);
    await expect(run(known, {}, startMs)).rejects.toThrow('no such thing');
    const [first = ''] = readdirSync(folder).filter((name) => name.endsWith('.db'));
    await expect(run(known, {}, startMs + 5_000)).rejects.toThrow('no such thing');
    expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual([first]);
    expect(told.findLast((text) => text.includes('restore --from'))).toContain(first);
    // Calls may have been served by the version before since.
    for (let day = 1; day < 6; day += 1) await expect(run(known, {}, startMs + day * 86_400_000)).rejects.toThrow();
    const copies = readdirSync(folder).filter((name) => name.endsWith('.db'));
    expect([copies.length, copies.includes(first)]).toEqual([4, true]);
  });

  test('the way back that is told has what the version before booked between two starts that failed', async () => {
    const { told, run, folder, db } = await furnished();
    const known = [...migrations, next, failing];
    const copies = () => readdirSync(folder).filter((name) => name.endsWith('.db'));
    const way = () => told.findLast((text) => text.includes('restore --from'));
    const startMs = Date.UTC(2030, 0, 1);
    await expect(run(known, {}, startMs)).rejects.toThrow('no such thing');
    const [first = ''] = copies();
    expect(way()).toContain(first);
    await giveWallet(db, 2, 5);
    for (const laterMs of [600_000, 605_000]) {
      await expect(run(known, {}, startMs + laterMs)).rejects.toThrow('no such thing');
      expect(copies()).toHaveLength(2);
      expect(way()).toContain(copies().find((name) => name !== first));
    }
  });

  test('a folder for the copy that cannot be written ends the start before anything is changed, and says what to do', async () => {
    const { env, run } = await furnished();
    const file = join(env.DATA_DIR, 'file');
    writeFileSync(file, '');
    const started = run([...migrations, next], { MIGRATION_BACKUP_DIR: join(file, 'copies') });
    await expect(started).rejects.toThrow(/ENOTDIR.* Nothing was changed.*MIGRATION_BACKUP_DIR/);
    expect((await run([...migrations, next])).applied).toEqual([next.name]);
  });

  test('without room nothing is changed, and the text says what to do; another folder has room', async () => {
    const { run, folder } = await furnished();
    const known = [...migrations, next];
    const greedy = { DISK_RESERVE_MB: '900000000' };
    await expect(run(known, greedy)).rejects.toThrow(/no room .* MIGRATION_BACKUP_DIR to a folder on another disk/);
    expect(readdirSync(folder)).toEqual([]);
    const elsewhere = join(newFolder(), 'made', 'here');
    expect(await run(known, { MIGRATION_BACKUP_DIR: elsewhere })).toMatchObject({ backup: expect.stringContaining(elsewhere) });
  });

  test('the command makes a copy as a start does and names it; so it does for tables of the version before', async () => {
    const where = await place({ isEmpty: true });
    const { env, folder } = upgrade(where);
    const db = await openStorage(readEnv(env));
    onTestFinished(() => db.close());
    await migrate(db, migrations.slice(0, -1));
    const answer = await runCommand(env, 'migrate', '--json');
    expect(answer.json()).toMatchObject({ applied: [migrations.at(-1)?.name], backup: expect.stringContaining(folder) });
    expect(answer.err).toContain('To go back');
    renameSync(answer.json().backup, join(where.dataDir, 'tollgate.copy'));
    expect(await runCommand(env, 'migrate', '--json')).toMatchObject({ exitCode: 0, err: '' });
  });
});
