import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runChild } from './launch/children.mjs';

interface Build {
  /** The workspace, and the folder that the tool runs in. */
  readonly name: string;
  /** Everything that the product depends on. */
  readonly inputs: readonly string[];
  /** Stands at the end of a build. */
  readonly product: string;
  /** File of the tool and its arguments, for Node. */
  readonly command: readonly string[];
}

/** Said outright: a test runner that builds has another mode in its environment, and would get libraries for developers. */
const mode = 'production';
const buildTimeoutMs = 10 * 60_000;
const notInputs = new Set(['node_modules', 'dist', 'generated', '.cache', 'test', 'test-results', 'coverage']);
const builds: readonly Build[] = [
  {
    name: 'server',
    inputs: ['server', 'contract', 'wire', 'package-lock.json'],
    product: 'server/dist/main.js',
    command: ['rolldown/bin/cli.mjs', '-c', 'rolldown.config.ts'],
  },
  {
    name: 'console',
    inputs: ['console', 'contract', 'docs', 'package-lock.json'],
    product: 'console/dist/index.html',
    command: ['vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  },
];

/** Builds what `npm start` runs, unless its sources are those of the last build. Throws when a build fails. */
export async function ensureBuilt(root: string, options: { force?: boolean } = {}): Promise<void> {
  for (const build of builds) await ensure(root, build, options.force === true);
}

async function ensure(root: string, { name, inputs, product, command: [tool = '', ...args] }: Build, force: boolean) {
  const stampPath = path.join(root, 'node_modules', '.cache', 'tollgate', `${name}-build`);
  const fingerprint = `${mode} ${fingerprintOf(root, inputs)}`;
  const isFresh =
    existsSync(path.join(root, product)) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === fingerprint;
  if (isFresh && !force) return;
  // A build that ends halfway leaves a product of neither: also for the sources of before.
  rmSync(stampPath, { force: true });
  console.error(`Building the ${name} ...`);
  const code = await runChild(process.execPath, [path.join(root, 'node_modules', tool), ...args], {
    cwd: path.join(root, name),
    env: { ...process.env, NODE_ENV: mode },
    quiet: true,
    timeoutMs: buildTimeoutMs,
  });
  if (code !== 0) throw new Error(`the ${name} could not be built (exit code ${code}); the lines above say why`);
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
