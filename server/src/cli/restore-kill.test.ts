import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onSqlite } from '../../test/engines.ts';
import { giveWallet } from '../../test/ledger-kit.ts';
import { lockFile } from '../storage/file-lock.ts';
import { openTarget } from '../storage/move/open.ts';

const SECRET_KEY = 'ab'.repeat(32);

/** The process dies at its rename of this number, from 1. Returns how the next one begins. */
function dyingAtRename(number: number, { hasLinks = true } = {}): () => void {
  const { renameSync } = fs;
  let count = 0;
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    count += 1;
    if (count >= number) throw new Error('killed');
    renameSync(from, to);
  });
  if (!hasLinks) {
    vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    });
  }
  const revive = () => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  };
  onTestFinished(revive);
  syncBuiltinESMExports();
  return revive;
}

/** Does what the text of a refused start says. */
function follow(text: string, dataDir: string): void {
  const renames = /rename (.*); then start/.exec(text)?.[1]?.split(', ') ?? [];
  for (const [from = '', to = ''] of renames.map((each) => each.split(' to '))) {
    fs.renameSync(join(dataDir, from), join(dataDir, to));
  }
}

onSqlite((_engine, open, { place }) => {
  /** A database of one user of the time of the backup, and one of since then. */
  const furnished = async () => {
    const where = await place();
    const env = { DATA_DIR: where.dataDir, SECRET_KEY };
    const db = await open({ place: where });
    await giveWallet(db, 1, 1_000);
    const file = join(newFolder(), 'copy.db');
    expect(await runCommand(env, 'backup', '--to', file)).toMatchObject({ exitCode: 0 });
    await giveWallet(db, 2, 5);
    await db.close();
    fs.writeFileSync(join(env.DATA_DIR, 'outbox'), '{}\n');
    const users = async () => {
      const again = await open({ place: where });
      const rows = await again.read.selectFrom('wallet').select('user_id').orderBy('user_id').execute();
      await again.close();
      return rows.map((row) => row.user_id);
    };
    return { env, file, users };
  };

  test.each([1, 2, 3])(
    'a restore that is killed at rename %d leaves the database of before, or no start at all',
    async (number) => {
      const { env, file, users } = await furnished();
      const revive = dyingAtRename(number);
      expect(await runCommand(env, 'restore', '--from', file, '--force')).toMatchObject({ exitCode: 1 });
      revive();
      if (number > 1) {
        for (const command of [
          ['migrate', '--dry-run'],
          ['doctor', 'ledger'],
        ]) {
          const refused = await runCommand(env, ...command);
          expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('There is no tollgate.db in') });
        }
        expect(fs.existsSync(join(env.DATA_DIR, 'tollgate.db'))).toBe(false);
        follow((await runCommand(env, 'migrate')).err, env.DATA_DIR);
      }
      expect(await users()).toEqual([1, 2]);
      expect(fs.readFileSync(join(env.DATA_DIR, 'outbox'), 'utf8')).toBe('{}\n');
      expect(await runCommand(env, 'restore', '--from', file, '--force')).toMatchObject({ exitCode: 0 });
      expect(await users()).toEqual([1]);
      expect(fs.existsSync(join(env.DATA_DIR, 'outbox'))).toBe(false);
    },
  );

  test('a damaged database is not exchanged under a server that still runs on it', async () => {
    const { env, file, users } = await furnished();
    const own = join(env.DATA_DIR, 'tollgate.db');
    fs.writeFileSync(own, 'no database any more '.repeat(1_000));
    const lock = lockFile(join(env.DATA_DIR, 'outbox.lock'));
    const refused = await runCommand(env, 'restore', '--from', file, '--force');
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('A server runs on') });
    lock?.release();
    expect(await runCommand(env, 'restore', '--from', file, '--force')).toMatchObject({ exitCode: 0 });
    expect(await users()).toEqual([1]);
  });

  test('beside the journal of a database that was moved away none is begun', async () => {
    const { env, users } = await furnished();
    const [own, elsewhere] = [join(env.DATA_DIR, 'tollgate.db'), join(env.DATA_DIR, 'moved')];
    fs.renameSync(own, elsewhere);
    // Without a byte more: what stands in it is the database's.
    fs.appendFileSync(`${own}-wal`, '');
    const refused = await runCommand(env, 'migrate');
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('tollgate.db-wal') });
    expect(fs.readdirSync(env.DATA_DIR)).not.toContain('tollgate.db');
    fs.renameSync(elsewhere, own);
    expect(await users()).toEqual([1, 2]);
  });

  test('a backup and a moved database have their name whole or not at all, with links and without', async () => {
    const { env } = await furnished();
    const file = join(newFolder(), 'copy.db');
    const revive = dyingAtRename(1, { hasLinks: false });
    expect(await runCommand(env, 'backup', '--to', file)).toMatchObject({ exitCode: 1 });
    expect(fs.existsSync(file)).toBe(false);
    const dataDir = newFolder();
    const target = await openTarget({ dataDir });
    await target.migrate();
    await expect(target.commit()).rejects.toThrow('killed');
    await target.close();
    expect(fs.readdirSync(dataDir)).toEqual([]);
    revive();
    dyingAtRename(2, { hasLinks: false });
    expect(await runCommand(env, 'backup', '--to', file)).toMatchObject({ exitCode: 0 });
    expect(fs.statSync(file).size).toBeGreaterThan(0);
  });

  test('an empty file, as a full disk leaves it, and a database of something else are no backups', async () => {
    const { env, users } = await furnished();
    const file = join(newFolder(), 'copy.db');
    fs.writeFileSync(file, '');
    const refused = await runCommand(env, 'restore', '--from', file, '--force');
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('is no backup') });
    expect(await users()).toEqual([1, 2]);
    expect(fs.readdirSync(env.DATA_DIR).filter((name) => /replaced|restore/.test(name))).toEqual([]);
  });
});
