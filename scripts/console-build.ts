import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runChild } from './launch/children.mjs';

/** Said outright: a test runner that builds has another mode in its environment, and would get libraries for developers. */
const mode = 'production';
const buildTimeoutMs = 10 * 60_000;
/** Everything that the built console depends on. */
const inputs = ['console', 'contract', 'package-lock.json'];
const notInputs = new Set(['node_modules', 'dist', 'generated', '.cache', 'test', 'test-results', 'coverage']);

/** Builds the console unless its sources are those of the last build. Throws when the build fails. */
export async function ensureConsole(root: string, options: { force?: boolean } = {}): Promise<void> {
  if (!existsSync(path.join(root, 'console', 'vite.config.ts'))) return;
  const stampPath = path.join(root, 'node_modules', '.cache', 'tollgate', 'console-build');
  const fingerprint = `${mode} ${fingerprintOf(root, inputs)}`;
  const built = existsSync(path.join(root, 'console', 'dist', 'index.html'));
  const isFresh = built && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === fingerprint;
  if (isFresh && options.force !== true) return;
  console.error('Building the console ...');
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const code = await runChild(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: path.join(root, 'console'),
    env: { ...process.env, NODE_ENV: mode },
    timeoutMs: buildTimeoutMs,
  });
  if (code !== 0) throw new Error(`the console could not be built (vite ended with ${code}); the lines above say why`);
  mkdirSync(path.dirname(stampPath), { recursive: true });
  writeFileSync(stampPath, fingerprint);
}

/** A hash over names and contents of all files below the given paths, tests and products left out. */
export function fingerprintOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256');
  const visit = (relative: string): void => {
    const absolute = path.join(root, relative);
    const entries = readdirSync(absolute, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = path.join(relative, entry.name);
      if (entry.isDirectory() && !notInputs.has(entry.name)) visit(child);
      else if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) addFile(child);
    }
  };
  const addFile = (relative: string): void => {
    const content = readFileSync(path.join(root, relative));
    hash.update(`${relative}\0${content.length}\0`).update(content);
  };
  for (const each of paths) {
    if (/\.\w+$/.test(each)) addFile(each);
    else visit(each);
  }
  return hash.digest('hex');
}
