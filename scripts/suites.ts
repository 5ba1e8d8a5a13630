import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from 'node:fs';
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
  const withTests = workspacesWithTests(root, workspaces);
  if (withTests.includes('e2e')) total = add(total, await buildProducts(root));
  const conditions = { root, args, timeoutMs };
  const run = (suite: Suite) => (suite.workspace === check ? checkParts(suite, conditions) : runSuite(suite, conditions));
  for (const { suite, beside } of inTurn([...(checks ? [check] : []), ...withTests])) {
    console.log(`\n--- ${[suite, ...beside].map(nameOf).join(', ')} ---`);
    const [ended, others] = await Promise.all([run(suite), oneByOne(beside, run)]);
    for (const { workspace, output } of others) console.log(`\n--- ${workspace}, ran beside ---\n${output}`);
    for (const { counts } of [ended, ...others]) total = add(total, counts);
  }
  console.log(`\n${summary(total)}`);
  return total.failures.length === 0 && total.passed > 0 ? 0 : 1;
}

/** A workspace's tests, or those of one of its projects. */
interface Suite {
  readonly workspace: string;
  readonly project?: string;
  /** Comes after others on the processor, and what it writes is kept back until they have ended. */
  readonly yields?: boolean;
}

interface Step {
  readonly suite: Suite;
  readonly beside: readonly Suite[];
}

/** The parts of `npm run check`, as a suite among the others. */
const check = 'check';
/** Ask for no server and measure no time: that they come slowly says nothing. */
const patient = [check, 'scripts', 'contract', 'wire', 'console'];

/**
 * One suite after the other. The bench's soak leaves half of the machine for minutes and judges what a process keeps: what is
 * patient runs beside it, and both are first, so that the quickest refusals come early. The rest of the bench measures, and has
 * the machine for itself.
 */
export function inTurn(workspaces: readonly string[]): Step[] {
  const alone = (suite: Suite): Step => ({ suite, beside: [] });
  if (!workspaces.includes('bench')) return workspaces.map((workspace) => alone({ workspace }));
  const beside = workspaces.filter((each) => patient.includes(each)).map((workspace) => ({ workspace, yields: true }));
  const others = workspaces.filter((each) => !patient.includes(each));
  return [
    { suite: { workspace: 'bench', project: 'soak' }, beside },
    ...others.map((workspace) => alone(workspace === 'bench' ? { workspace, project: 'bench' } : { workspace })),
  ];
}

const nameOf = ({ workspace, project = workspace }: Suite) => (project === workspace ? workspace : `${workspace}: ${project}`);

async function oneByOne<To>(suites: readonly Suite[], run: (suite: Suite) => Promise<To>): Promise<To[]> {
  const ended: To[] = [];
  for (const suite of suites) ended.push(await run(suite));
  return ended;
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

interface Ended {
  readonly workspace: string;
  readonly counts: Counts;
  /** What was kept back. */
  readonly output: string;
}

type Conditions = Pick<SuiteOptions, 'root' | 'args' | 'timeoutMs'>;

/** What is refused is told at once. */
async function checkParts({ workspace, yields = false }: Suite, { root }: Conditions): Promise<Ended> {
  const results = await runChecks(root, { yields });
  const failures = results.filter(({ ok }) => !ok).map(({ name }) => `${workspace}: ${name}`);
  const counts = { passed: results.length - failures.length, failures, skipped: 0 };
  return { workspace, counts, output: summary(counts) };
}

async function runSuite(suite: Suite, { root, args, timeoutMs }: Conditions): Promise<Ended> {
  const { workspace, project, yields = false } = suite;
  const folder = folderFor(workspace);
  const report = path.join(folder, 'report.json');
  const kept = path.join(folder, 'output');
  const output = yields ? openSync(kept, 'w') : undefined;
  try {
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const part = project === undefined ? [] : ['--project', project];
    const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...part, ...args];
    const code = await runChild(process.execPath, [vitest, ...options], {
      cwd: path.join(root, workspace),
      env: { ...process.env, TMPDIR: folder, ...compiledOnce(workspace, folder) },
      timeoutMs,
      output,
      yields,
    });
    const counts = fromVitest(nameOf(suite), existsSync(report) ? readFileSync(report, 'utf8') : '', code);
    return { workspace, counts, output: yields ? readFileSync(kept, 'utf8') : '' };
  } finally {
    if (output !== undefined) closeSync(output);
    // Servers that were just stopped may still be removing theirs.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
