import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../../test/cli-kit.ts';
import { fixtureTables, userRow, writeSqliteFixture } from '../../test/import-kit.ts';
import { openSource } from './open-source.ts';

test('the copy of a run that was killed goes with the next run, and nothing of one that still works or of anybody else', async () => {
  const [folder, file] = [newFolder(), join(newFolder(), 'one-api.db')];
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeSqliteFixture(file, fixtureTables['new-api'], { users: [userRow(1)] });
  const [killed, notes] = [join(folder, '.tollgate-import-copy-killed'), join(folder, 'tollgate-import-notes')];
  for (const each of [killed, notes]) {
    mkdirSync(each);
    writeFileSync(join(each, 'source.db'), 'keys and passwords');
  }
  const working = await openSource({ file });
  const own = readdirSync(folder).find((name) => ![killed, notes].includes(join(folder, name))) ?? '';
  const anHourAgo = new Date(Date.now() - 3_600_000);
  for (const stage of [killed, notes, join(folder, own)]) utimesSync(stage, anHourAgo, anHourAgo);
  const next = await openSource({ file });
  expect([existsSync(killed), existsSync(join(folder, own))]).toEqual([false, true]);
  expect(await working.count('users')).toBe(1);
  await Promise.all([working.close(), next.close()]);
  expect(readdirSync(folder)).toEqual(['tollgate-import-notes']);
});

test('a folder for temporary files that takes none is named with what to do', async () => {
  const file = join(newFolder(), 'one-api.db');
  writeSqliteFixture(file, fixtureTables['new-api'], { users: [userRow(1)] });
  vi.stubEnv('TMPDIR', file);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openSource({ file })).rejects.toThrow(`cannot be put into ${file}`);
});
