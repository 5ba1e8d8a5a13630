import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureBuilt } from './builds.ts';
import { runChecks } from './check/run.ts';
import { runChild } from './launch/children.mjs';
import { listFiles } from './source-files.ts';
import { add, type Counts, fromVitest, none, summary } from './test-counts.ts';

interface SuiteOptions {
  readonly root: string;
  readonly workspaces: readonly string[];
  /** Passed on to vitest. */
  readonly args: readonly string[];
  /** Whether the parts of `npm run check` run first and are counted. */
  readonly checks: boolean;
  /** Bound of one workspace. */
  readonly timeoutMs: number;
}

/** Runs the test suites one after the other, prints the sum as the last line and returns the exit code. */
export async function runSuites({ root, workspaces, args, checks, timeoutMs }: SuiteOptions): Promise<number> {
  let total = none;
  if (checks) {
    const results = await runChecks(root);
    const failures = results.filter((result) => !result.ok).map(({ name }) => `check: ${name}`);
    total = add(total, { passed: results.length - failures.length, failures, skipped: 0 });
  }
  const withTests = workspacesWithTests(root, workspaces);
  if (withTests.includes('e2e')) total = add(total, await buildProducts(root));
  for (const workspace of withTests) {
    console.log(`\n--- ${workspace} ---`);
    total = add(total, await runWorkspace(root, workspace, args, timeoutMs));
  }
  console.log(`\n${summary(total)}`);
  return total.failures.length === 0 && total.passed > 0 ? 0 : 1;
}

/** Tests without a vitest.config.ts beside them are refused by `check`, so that nothing is left out silently. */
function workspacesWithTests(root: string, workspaces: readonly string[]): string[] {
  const tests = listFiles(root).filter((file) => /\.test\.tsx?$/.test(file));
  return workspaces.filter((each) => tests.some((file) => file.startsWith(`${each}/`)));
}

async function buildProducts(root: string): Promise<Counts> {
  try {
    await ensureBuilt(root);
    return none;
  } catch (error) {
    return { ...none, failures: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Measures what a disk costs, so its files lie on one. */
const onDisk = 'bench';
const memory = '/dev/shm';
const roomBytes = 6 * 2 ** 30;

/**
 * Where tests keep their databases: in memory where there is room for them, since thousands of small commits wait for a disk
 * that others may be using, and no test asks what is left after a power cut.
 */
function folderFor(workspace: string): string {
  const inMemory = workspace !== onDisk && existsSync(memory) && freeBytes(memory) > roomBytes && os.freemem() > roomBytes;
  const folder = mkdtempSync(path.join(inMemory ? memory : os.tmpdir(), 'tollgate-test-'));
  // Databases run as users of their own.
  chmodSync(folder, 0o755);
  return folder;
}

/** Some thousand database threads and servers start from the same sources. What is measured starts as it does for its users. */
function compiledOnce(workspace: string, folder: string): NodeJS.ProcessEnv {
  return workspace === onDisk ? {} : { NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
}

function freeBytes(place: string): number {
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize;
}

async function runWorkspace(root: string, workspace: string, args: readonly string[], timeoutMs: number): Promise<Counts> {
  const folder = folderFor(workspace);
  const report = path.join(folder, 'report.json');
  try {
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args];
    const code = await runChild(process.execPath, [vitest, ...options], {
      cwd: path.join(root, workspace),
      env: { ...process.env, TMPDIR: folder, ...compiledOnce(workspace, folder) },
      timeoutMs,
    });
    return fromVitest(workspace, existsSync(report) ? readFileSync(report, 'utf8') : '', code);
  } finally {
    // Servers that were just stopped may still be removing theirs.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
