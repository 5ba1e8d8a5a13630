import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onSqlite } from '../../test/engines.ts';
import { openOutboxFile } from '../billing/outbox-file.ts';
import { loadMasterKey } from './master-key.ts';

/** Files and folders as Windows gives them out: folders cannot be opened, and what is open for reading cannot be flushed. */
function onWindows(): void {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  const { openSync, fsyncSync } = fs;
  const readOnly = new Set<number>();
  const refused = (call: string) => Object.assign(new Error(`EPERM: operation not permitted, ${call}`), { code: 'EPERM' });
  vi.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw refused('open');
    const handle = openSync(path, flags, mode);
    if (flags === 'r') readOnly.add(handle);
    else readOnly.delete(handle);
    return handle;
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    if (readOnly.has(handle)) throw refused('fsync');
    fsyncSync(handle);
  });
  syncBuiltinESMExports();
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    Object.defineProperty(process, 'platform', platform);
  });
}

onSqlite((_engine, open, { place }) => {
  test('a backup, its restore, a change of the key and an outbox are made where folders cannot be opened', async () => {
    const where = await place();
    const env = { DATA_DIR: where.dataDir };
    await (await open({ place: where })).close();
    fs.writeFileSync(join(where.dataDir, 'secret.key'), '07'.repeat(32), { mode: 0o600 });
    // It looks for the binary of its platform when it is first used.
    new Sqlite(':memory:').close();
    onWindows();
    const file = join(newFolder(), 'copy.db');
    for (const args of [
      ['backup', '--to', file],
      ['restore', '--from', file, '--force'],
      ['keys', 'rotate'],
    ]) {
      expect(await runCommand(env, ...args)).toMatchObject({ exitCode: 0 });
    }
    const outbox = await openOutboxFile(join(newFolder(), 'made', 'outbox'), 1_000);
    for (const line of ['a', 'b']) await outbox.append(line);
    await outbox.remove(new Set(['a']));
    expect(outbox.lines()).toEqual(['b']);
    await outbox.close();
  });
});

test.skipIf(process.platform === 'win32')(
  'a first start for whose key there is no room leaves none, and the next one makes it',
  async () => {
    const source = { SECRET_KEY: undefined, SECRET_KEY_FILE: undefined, DATA_DIR: newFolder() };
    const module = join(import.meta.dirname, 'master-key.ts');
    const program = `(await import(${JSON.stringify(module)})).loadMasterKey(${JSON.stringify(source)})`;
    const script = 'ulimit -f 0 && exec "$0" --input-type=module --eval "$1"';
    const full = spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8' });
    expect(full).toMatchObject({ status: 1, stderr: expect.stringContaining('EFBIG') });
    expect(fs.readdirSync(source.DATA_DIR)).toEqual([]);
    expect(await loadMasterKey(source)).toHaveLength(32);
    expect(fs.readdirSync(source.DATA_DIR)).toEqual(['secret.key']);
  },
);
