import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { moduleText, runAsUsual } from '../../test/usual-user.ts';

test.skipIf(process.platform === 'win32')(
  'a data folder that cannot be written ends the start, and says which and what to do',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const place = (name: string) => join(folder, name);
    for (const name of ['closed', 'read-only', 'unreadable']) mkdirSync(place(name));
    writeFileSync(place('file'), '');
    const lines = runAsUsual(
      folder,
      `import { chmodSync, rmSync } from 'node:fs';
    import { join } from 'node:path';
    import { openDatabase, openForReading } from ${moduleText(import.meta.url, '../storage/open.ts')};
    const config = (name) => ({
      dataDir: join(${JSON.stringify(folder)}, name),
      synchronous: 'FULL',
      worksModule: new URL(${moduleText(import.meta.url, '../billing/works.ts')}),
    });
    for (const name of ['read-only', 'unreadable']) await (await openDatabase(config(name))).close();
    const modes = { closed: 0o500, 'read-only/tollgate.db': 0o400, unreadable: 0 };
    for (const [name, mode] of Object.entries(modes)) chmodSync(config(name).dataDir, mode);
    for (const name of ['file', 'file/below', 'closed', 'closed/below', 'read-only', 'unreadable']) {
      const opened = openDatabase(config(name));
      console.log(await opened.then((db) => db.close().then(() => 'opened'), ({ message }) => message));
    }
    for (const name of ['file', 'unreadable'])
      console.log(await openForReading(config(name)).then(() => 'opened', ({ message }) => message));
    for (const name of Object.keys(modes)) chmodSync(config(name).dataDir, 0o700);
    for (const name of ['closed', 'read-only', 'unreadable']) rmSync(config(name).dataDir, { recursive: true });`,
    ).split('\n');
    const told = (name: string, code: string, advice: string) =>
      expect.stringMatching(`^DATA_DIR, which is ${place(name)}, cannot be used: ${code}: .*${name}.*'. ${advice}`);
    const owner = 'Let the user of this process read and write the folder and all in it';
    expect(lines).toEqual([
      told('file', 'EEXIST', 'Name a folder'),
      told('file/below', 'ENOTDIR', 'Name a folder'),
      told('closed', 'EACCES', owner),
      told('closed/below', 'EACCES', owner),
      expect.stringMatching(
        `^DATA_DIR, which is ${place('read-only')}, .*EACCES.* '${place('read-only')}/tollgate.db'. ${owner}`,
      ),
      told('unreadable', 'EACCES', owner),
      expect.stringContaining(`There is no database in ${place('file')}: `),
      expect.stringMatching(
        `^The database cannot be read: EACCES: .*${place('unreadable')}/tollgate.db'. Run this as the server's user`,
      ),
      '',
    ]);
  },
);
