import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds per tick of /proc; the kernel's user-visible rate is fixed. */
const secondsPerTick = 0.01;

/** CPU of a process at one moment, in seconds since it started, with its memory. */
export interface CpuReading {
  readonly processSeconds: number;
  readonly mainThreadSeconds: number;
  /** Everything that ran on the watched core, ours included. */
  readonly coreBusySeconds: number;
  readonly stolenSeconds: number;
  readonly rssMb: number;
  readonly peakRssMb: number;
  /** Of `rssMb` what the process wrote itself. The rest is files, of which a system drops from memory what it likes. */
  readonly ownMb: number;
}

/** User and system time of a `stat` line of a process or thread, in seconds. The name may contain spaces and brackets. */
export function cpuSecondsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * secondsPerTick;
}

/** Busy and stolen seconds of one core from the text of /proc/stat. */
export function coreSecondsOf(stat: string, core: number): { busy: number; stolen: number } {
  const line = stat.split('\n').find((each) => each.startsWith(`cpu${core} `));
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (line ?? '').split(' ').slice(1).map(Number);
  return { busy: (user + nice + system + irq + softirq) * secondsPerTick, stolen: stolen * secondsPerTick };
}

/** Reads a process of this machine (Linux). Throws when it is gone. */
export function readCpu(pid: number, core: number): CpuReading {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const { busy, stolen } = coreSecondsOf(readFileSync('/proc/stat', 'latin1'), core);
  return {
    processSeconds: cpuSecondsOf(readFileSync(`/proc/${pid}/stat`, 'latin1')),
    mainThreadSeconds: cpuSecondsOf(readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1')),
    coreBusySeconds: busy,
    stolenSeconds: stolen,
    rssMb: megabytes(status, 'VmRSS'),
    peakRssMb: megabytes(status, 'VmHWM'),
    ownMb: megabytes(status, 'RssAnon'),
  };
}

/** Open descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function megabytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** Direct children of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It ended in between.
    return undefined;
  }
}
