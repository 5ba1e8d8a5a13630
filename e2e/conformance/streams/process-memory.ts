import { readFile, writeFile } from 'node:fs/promises';

/** Memory of a process in MiB and its work, as the system counts them; it tells nothing where there is no /proc. */
export interface MemoryMeter {
  readonly isKnown: boolean;
  /** How much larger than before the process has been at its largest. */
  grown(): Promise<number>;
  /** What it has computed since, in milliseconds of one processor: the same on a busy machine. */
  computedMs(): Promise<number>;
}

/** Starts a measurement: the process's peak is forgotten first. */
export async function measureMemory(pid: number): Promise<MemoryMeter> {
  const isKnown = await writeFile(`/proc/${pid}/clear_refs`, '5').then(
    () => true,
    () => false,
  );
  const before = isKnown ? await field(pid, 'VmRSS') : 0;
  const computedBefore = isKnown ? await computed(pid) : 0;
  return {
    isKnown,
    grown: async () => (isKnown ? (await field(pid, 'VmHWM')) - before : 0),
    computedMs: async () => (isKnown ? (await computed(pid)) - computedBefore : 0),
  };
}

const tickMs = 10;

/** User and system time of all its threads (proc(5), fields 14 and 15). */
async function computed(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

async function field(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}
