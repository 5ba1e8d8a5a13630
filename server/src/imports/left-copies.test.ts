import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../../test/cli-kit.ts';
import { fixtureTables, userRow, writeSqliteFixture } from '../../test/import-kit.ts';
import { openSource, readSourceAddress } from './index.ts';

test.skipIf(process.platform === 'win32')('a copy of the source that a killed import left goes with the next one', async () => {
  const temporary = newFolder();
  const file = join(newFolder(), 'one-api.db');
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeSqliteFixture(file, fixtureTables['new-api'], { users: [userRow(1)], tokens: [], channels: [], redemptions: [] });
  const [left, mine] = ['.tollgate-import-copy-killed', 'tollgate-import-notes'].map((name) => join(temporary, name));
  for (const folder of [left, mine] as string[]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'source.db'), 'keys of others');
    utimesSync(folder, 1, 1);
  }
  const address = readSourceAddress(file);
  if (address === undefined) return expect.unreachable();
  const source = await openSource(address);
  expect(existsSync(left ?? '')).toBe(false);
  expect(readdirSync(temporary)).toHaveLength(2);
  await source.close();
  expect(readdirSync(temporary)).toEqual(['tollgate-import-notes']);
});
