import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const stopMs = 5_000;
const commandMs = 5_000;
const maxOutput = 1 << 20;

export interface Child {
  readonly pid: number;
  /** Resolves with the first text that matches; rejects when the child ends before, or too late. */
  output(pattern: RegExp, timeoutMs: number): Promise<string>;
  /** What it wrote to its error output, once it has ended. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

/** Starts a program, on one core when `core` is given. Its input stays open until we end. */
export async function startChild(core: number | undefined, file: string, args: readonly string[]): Promise<Child> {
  const [program, list] = core === undefined ? [file, args] : ['taskset', ['-c', String(core), file, ...args]];
  const child = spawn(program, list, { stdio: ['pipe', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => keep(text, 'out', chunk));
  child.stderr.on('data', (chunk: Buffer) => keep(text, 'err', chunk));
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    ended: () => (child.exitCode === null && child.signalCode === null ? undefined : text.err),
    output: (pattern, timeoutMs) => waitFor(child, text, pattern, timeoutMs),
    stop: () => stop(child),
  };
}

function keep(text: Record<'out' | 'err', string>, name: 'out' | 'err', chunk: Buffer): void {
  if (text[name].length < maxOutput) text[name] += chunk.toString();
}

function waitFor(child: ChildProcess, text: { out: string; err: string }, pattern: RegExp, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(text.out)?.[0];
      if (match !== undefined) finish(() => resolve(match));
    };
    const give = (why: string) => finish(() => reject(new Error(`${child.spawnfile} ${why}: ${text.err || text.out}`)));
    const ended = () => {
      look();
      give('ended before its time');
    };
    const timer = setTimeout(() => give(`did not answer within ${timeoutMs} ms`), timeoutMs);
    const finish = (then: () => void) => {
      clearTimeout(timer);
      child.stdout?.off('data', look);
      child.off('close', ended);
      then();
    };
    child.stdout?.on('data', look);
    child.once('close', ended);
    look();
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  // All of ours end when their input does.
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await gone;
  clearTimeout(timer);
}

/** Puts a running process with all its threads on one core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore', timeout: commandMs });
}
