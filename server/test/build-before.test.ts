import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import config, { keepBuildBefore } from '../rolldown.config.ts';

test('a server that runs while its folder is built anew finds its parts, also after a second build of the same; older ones go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const build = (...names: string[]) => {
    for (const name of names) writeFileSync(join(folder, name), '');
    keepBuildBefore(folder, names);
    return readdirSync(folder).filter((name) => name !== 'files.json');
  };
  // What lies there from a version that kept no list is the build before.
  writeFileSync(join(folder, 'mail-0.js'), '');
  expect(build('main.js', 'mail-1.js')).toEqual(['mail-0.js', 'mail-1.js', 'main.js']);
  expect(build('main.js', 'mail-2.js')).toEqual(['mail-1.js', 'mail-2.js', 'main.js']);
  expect(build('main.js', 'mail-2.js')).toEqual(['mail-1.js', 'mail-2.js', 'main.js']);
  expect(build('main.js', 'mail-3.js')).toEqual(['mail-2.js', 'mail-3.js', 'main.js']);
  expect(config).toMatchObject({ output: expect.not.objectContaining({ cleanDir: true }) });
});
