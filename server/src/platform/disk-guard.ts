import { statfs } from 'node:fs/promises';
import type { Log } from './log.ts';

/** Looks at the free space of one disk now and then. */
export interface DiskGuard {
  /** False: what begins now might not be booked when it ends. */
  hasSpace(): boolean;
  stop(): void;
}

export interface DiskReserve {
  /** What stays free for what is under way; both 0: nothing is kept. */
  readonly megabytes: number;
  readonly percent: number;
}

interface Parts {
  readonly folder: string;
  readonly reserve: DiskReserve;
  readonly log: Log;
  readonly look?: typeof statfs;
  readonly everyMs?: number;
}

const mebibyte = 1 << 20;
/** A share of a large disk is more than all open calls can need. */
const mostOfShare = 2048 * mebibyte;
/** Once it was too little there must be so much more, or calls would be let in and refused by turns. */
const enoughAgain = 1.25;
const lookEveryMs = 5_000;

/** Bytes that stay free on a disk of `total` bytes. */
export function reservedBytes({ megabytes, percent }: DiskReserve, total: number): number {
  return Math.max(megabytes * mebibyte, Math.min((total * percent) / 100, mostOfShare));
}

/** Rounded up, for people. */
export const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / mebibyte)} MiB`;

interface Copy {
  readonly bytes: number;
  readonly free: number;
  /** What must stay free there. */
  readonly reserve: number;
  readonly folder: string;
}

/** What a copy lacks, in words; undefined = it has room beside the reserve. */
export function lackOfRoom({ bytes, free, reserve, folder }: Copy): string | undefined {
  if (free >= bytes + reserve) return undefined;
  const kept = reserve === 0 ? '' : `${inMebibytes(reserve)} stay free for calls (DISK_RESERVE_MB, DISK_RESERVE_PERCENT), `;
  return `it takes ${inMebibytes(bytes)}, ${kept}and ${inMebibytes(free)} are free in ${folder}`;
}

/** Resolves after the first look. A disk that cannot be looked at is taken for what it was. */
export async function watchDisk({ folder, reserve, log, look = statfs, everyMs = lookEveryMs }: Parts): Promise<DiskGuard> {
  let hasSpace = true;
  let isLooking = false;
  const judge = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const { bavail, blocks, bsize } = await look(folder);
      const [freeBytes, least] = [bavail * bsize, reservedBytes(reserve, blocks * bsize)];
      const isEnough = freeBytes >= (hasSpace ? least : least * enoughAgain);
      if (isEnough !== hasSpace) tell(isEnough, { folder, freeBytes, reservedBytes: Math.round(least) });
      hasSpace = isEnough;
    } catch (error) {
      log.warn({ err: error, folder }, 'the free space of the disk cannot be read');
    }
    isLooking = false;
  };
  const tell = (isEnough: boolean, facts: object): void => {
    if (isEnough) log.info(facts, 'the disk has space again: calls are let in');
    else log.error(facts, 'the disk is nearly full: new calls are refused, those under way end and are booked');
  };
  await judge();
  const timer = setInterval(() => void judge(), everyMs);
  timer.unref();
  return { hasSpace: () => hasSpace, stop: () => clearInterval(timer) };
}
