import { spawn } from 'node:child_process';
import os from 'node:os';

const followParent = new URL('./follow-parent.mjs', import.meta.url).href;
const killAfterMs = 10_000;
/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set();
const forwarded = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
let listening = false;

/**
 * Starts a program with our terminal. Signals are passed on, and it never outlives this process.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean, quiet?: boolean}} [options] quiet: its standard output goes nowhere
 */
export function startChild(file, args, options = {}) {
  const isNode = file === process.execPath || /[/\\]node(\.exe)?$/.test(file);
  const child = spawn(file, isNode ? ['--import', followParent, ...args] : args, {
    cwd: options.cwd,
    env: { ...(options.env ?? process.env), ...(isNode ? { TOLLGATE_LAUNCHER: String(process.pid) } : {}) },
    shell: options.shell ?? false,
    stdio: [
      'inherit',
      options.quiet === true ? 'ignore' : 'inherit',
      'inherit',
      ...(isNode ? /** @type {const} */ (['ipc']) : []),
    ],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  if (!listening) passSignalsOn();
  return child;
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
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean, quiet?: boolean, timeoutMs?: number}} [options]
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
  for (const signal of forwarded) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group already; a second one would read as "stop at once".
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      for (const child of alive) child.kill(signal);
    });
  }
  process.once('exit', () => {
    for (const child of alive) child.kill('SIGKILL');
  });
}
