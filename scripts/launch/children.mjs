import { spawn } from 'node:child_process';
import os from 'node:os';

const followParent = new URL('./follow-parent.mjs', import.meta.url).href;
const killAfterMs = 10_000;
const lookAtParentMs = 500;
/** A tenth of the weight of others. The lowest is hardly ever served where a machine is busy. */
const lower = os.constants.priority.PRIORITY_BELOW_NORMAL;
/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set();
const forwarded = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
let listening = false;

/**
 * @typedef {object} ChildOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [shell]
 * @property {boolean} [quiet] its standard output goes nowhere
 * @property {number} [output] an open file that takes all it writes
 * @property {boolean} [yields] it and what it starts come after others on the processor
 */

/**
 * Starts a program with our terminal. Signals are passed on, and it never outlives this process.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {ChildOptions} [options]
 */
export function startChild(file, args, options = {}) {
  const isNode = file === process.execPath || /[/\\]node(\.exe)?$/.test(file);
  const child = spawn(file, isNode ? ['--import', followParent, ...args] : args, {
    cwd: options.cwd,
    env: { ...(options.env ?? process.env), ...(isNode ? { TOLLGATE_LAUNCHER: String(process.pid) } : {}) },
    shell: options.shell ?? false,
    stdio: [
      'inherit',
      options.output ?? (options.quiet === true ? 'ignore' : 'inherit'),
      options.output ?? 'inherit',
      ...(isNode ? /** @type {const} */ (['ipc']) : []),
    ],
  });
  if (options.yields === true) yieldToOthers(child);
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  if (!listening) passSignalsOn();
  return child;
}

/**
 * At once after its start: threads and children begin with what the thread that starts them has.
 * @param {import('node:child_process').ChildProcess} child
 */
export function yieldToOthers({ pid }) {
  if (pid !== undefined) os.setPriority(pid, lower);
}

/**
 * Resolves with the exit code of a child; a signal counts as 128 + its number.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? os.constants.signals[signal] : 0)));
  });
}

/**
 * Runs a program to its end and returns its exit code; after `timeoutMs` it is stopped and 124 returned.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {ChildOptions & {timeoutMs?: number}} [options]
 */
export async function runChild(file, args, options = {}) {
  const child = startChild(file, args, options);
  let late = false;
  const timer = options.timeoutMs
    ? setTimeout(() => {
        late = true;
        void stopChild(child);
      }, options.timeoutMs)
    : undefined;
  const code = await exitCode(child).finally(() => clearTimeout(timer));
  return late ? 124 : code;
}

/**
 * Asks a child to end and kills it when it does not; resolves once it is gone.
 * @param {import('node:child_process').ChildProcess} child
 */
export async function stopChild(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await gone;
  clearTimeout(timer);
}

function passSignalsOn() {
  listening = true;
  const following = followNpm();
  for (const signal of forwarded) {
    process.on(signal, () => {
      clearInterval(following);
      // A terminal sends Ctrl-C to the whole group already; a second one would read as "stop at once".
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      for (const child of alive) child.kill(signal);
    });
  }
  process.once('exit', () => {
    for (const child of alive) child.kill('SIGKILL');
  });
}

/** npm hands a signal to the shell between it and us. One like Debian's ends by it and tells nobody: its end is all that is seen here. */
function followNpm() {
  const { ppid } = process;
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  return setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGTERM'), lookAtParentMs).unref();
}
