import { readFile } from 'node:fs/promises';
import type { Log } from './log.ts';

/** Database, log, listeners and what libraries keep open. */
const spare = 256;

/** Descriptors that this process may have open; undefined = not known here. Node raises its own limit to the hard one when it starts. */
export async function descriptorLimit(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  return hard === undefined ? undefined : Number(hard);
}

/** What is wrong with the limit, where each call takes a connection on either side; undefined = enough, or not known. */
export function descriptorFault(limit: number | undefined, maxStreams: number): string | undefined {
  const isEnough = limit === undefined || limit >= 2 * maxStreams + spare;
  return isEnough ? undefined : `${limit} < 2 × MAX_STREAMS (${maxStreams}) + ${spare}`;
}

/** Said once, at the start: later it shows in refused connections only. */
export async function warnOfDescriptors(maxStreams: number, log: Pick<Log, 'warn'>): Promise<void> {
  const fault = descriptorFault(await descriptorLimit(), maxStreams);
  const advice = 'too few descriptors: raise the limit (ulimit -n, LimitNOFILE of systemd) or lower MAX_STREAMS';
  if (fault !== undefined) log.warn({ fault }, advice);
}
