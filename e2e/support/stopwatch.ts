import { readFileSync } from 'node:fs';

/**
 * Milliseconds from now on, less those for which the machine keeps that one of this process and the others from a processor which
 * has to wait longest: what something takes, whoever else uses the machine. Only Linux tells.
 */
export function startStopwatch(others: readonly { readonly pid?: number | undefined }[] = []): () => number {
  const startedMs = performance.now();
  const all = [process, ...others].map(({ pid }) => ({ pid, beforeMs: waitedMs(pid) }));
  return () => performance.now() - startedMs - Math.max(0, ...all.map(({ pid, beforeMs }) => waitedMs(pid) - beforeMs));
}

/** Of the first thread of a process: how long it could have run and did not. */
function waitedMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
