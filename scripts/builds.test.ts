import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, fingerprintOf } from './builds.ts';

function newRoot() {
  const root = mkdtempSync(path.join(os.tmpdir(), 'tollgate-build-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  return { root, write };
}

test('a change of a source asks for a build, a change of a test or a product does not', () => {
  const { root, write } = newRoot();
  write('console/src/main.tsx', 'one');
  const first = fingerprintOf(root, ['console']);
  write('console/src/main.test.tsx', 'a test');
  write('console/dist/index.html', 'a product');
  expect(fingerprintOf(root, ['console'])).toBe(first);
  write('console/src/main.tsx', 'two');
  const second = fingerprintOf(root, ['console']);
  expect(second).not.toBe(first);
  write('console/src/more.ts', '');
  expect(fingerprintOf(root, ['console'])).not.toBe(second);
});

test('after a build that ended halfway the version of before is built anew as well', async () => {
  const { root, write } = newRoot();
  for (const folder of ['contract', 'wire', 'docs', 'console']) write(`${folder}/file`, '');
  write('package-lock.json', '{}');
  // Tools that copy their source and fail in the middle of one that says so.
  const tool = (product: string) => `const fs = require('node:fs');
    fs.mkdirSync('dist', { recursive: true });
    fs.copyFileSync('file', '${product}');
    if (fs.readFileSync('file', 'utf8') === 'new') process.exit(1);`;
  write('node_modules/vite/bin/vite.js', tool('dist/index.html'));
  write(
    'node_modules/rolldown/bin/cli.mjs',
    `import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    ${tool('dist/main.js')}`,
  );
  const build = (source: string) => {
    write('server/file', source);
    return ensureBuilt(root);
  };
  await build('old');
  await expect(build('new')).rejects.toThrow('could not be built');
  await build('old');
  expect(readFileSync(path.join(root, 'server/dist/main.js'), 'utf8')).toBe('old');
});
