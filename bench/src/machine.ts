import { execFileSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';

/** Where the processes of a run are put. Undefined: the machine or its tools do not allow it. */
export interface Cores {
  readonly target: number;
  readonly load: number;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly nginx: string;
  /** Kind of file system that holds the database: without a real disk, fsync costs nothing. */
  readonly fileSystem: string;
}

const fileSystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  16914836: 'tmpfs',
  2035054128: 'overlay',
};

/** Gateway or nginx on the first usable core, load and mock on the next. */
export function chooseCores(taskset: string | undefined): Cores | undefined {
  const [target, load] = usableCores(readFileSync('/proc/self/status', 'latin1'));
  return taskset === undefined || target === undefined || load === undefined ? undefined : { target, load };
}

/** Core numbers that this process may use, from its /proc status, e.g. `0-3,8`. */
export function usableCores(status: string): number[] {
  const ranges = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1]?.split(',') ?? [];
  return ranges.flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

export function describeMachine(nginx: string | undefined, dataDir: string): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    kernel: `${os.type()} ${/^\d+\.\d+/.exec(os.release())?.[0] ?? ''}`,
    node: process.version,
    nginx: nginx === undefined ? 'none' : nginxVersion(nginx),
    fileSystem: fileSystems[statfsSync(dataDir).type] ?? 'other',
  };
}

/** nginx prints its version on the error output. */
function nginxVersion(nginx: string): string {
  const text = execFileSync('/bin/sh', ['-c', '"$0" -v 2>&1', nginx], { encoding: 'utf8', timeout: 5_000 });
  return /nginx\/([\d.]+)/.exec(text)?.[1] ?? 'unknown';
}
