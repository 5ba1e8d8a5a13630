import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UsageError } from './options.ts';

const root = path.resolve(import.meta.dirname, '../..');
const ourScope = '@tollgate';
const gitMs = 30_000;
const buildMs = 120_000;
const maxArchiveBytes = 256 << 20;

/** The server of another revision, built in a folder of its own that `stop` removes. */
export interface Revision {
  readonly main: string;
  stop(): Promise<void>;
}

/** Whether the sources of that revision are at hand: a copy without its history has none. */
export function knowsRevision(revision: string): boolean {
  return commitOf(revision) !== undefined;
}

/** Builds the server as it was then, with the libraries of now. Throws UsageError for a revision that nobody knows. */
export async function buildRevision(revision: string): Promise<Revision> {
  const commit = commitOf(revision);
  if (commit === undefined) throw new UsageError(`--against ${revision}: git does not know that revision here`);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-revision-'));
  const stop = async () => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = path.join(folder, 'sources.tar');
    writeFileSync(archive, git(['archive', '--format=tar', commit]));
    execFileSync('tar', ['-xf', archive, '-C', folder], { timeout: gitMs });
    linkLibraries(folder);
    const rolldown = path.join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
    execFileSync(process.execPath, [rolldown, '-c', 'rolldown.config.ts'], {
      cwd: path.join(folder, 'server'),
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: 'pipe',
      timeout: buildMs,
    });
    return { main: path.join(folder, 'server', 'dist', 'main.js'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function commitOf(revision: string): string | undefined {
  try {
    return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

function git(args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: root, timeout: gitMs, maxBuffer: maxArchiveBytes, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Its own workspaces, and everybody else's packages from here. */
function linkLibraries(folder: string): void {
  const [from, to] = [path.join(root, 'node_modules'), path.join(folder, 'node_modules')];
  mkdirSync(path.join(to, ourScope), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== ourScope && !name.startsWith('.cache')) symlinkSync(path.join(from, name), path.join(to, name));
  }
  for (const name of readdirSync(path.join(from, ourScope))) {
    const own = path.join(folder, name);
    if (existsSync(own)) symlinkSync(own, path.join(to, ourScope, name));
    const apart = path.join(root, name, 'node_modules');
    if (existsSync(own) && existsSync(apart)) symlinkSync(apart, path.join(own, 'node_modules'));
  }
}
