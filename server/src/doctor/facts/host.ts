import { constants, type Stats } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import { leftOutboxes } from '../../billing/index.ts';
import { keyId } from '../../platform/crypto.ts';
import { descriptorLimit } from '../../platform/descriptors.ts';
import { reservedBytes } from '../../platform/disk-guard.ts';
import { readMasterKey } from '../../platform/master-key.ts';
import { backupNotePath, readBackupNote } from '../../storage/backup-note.ts';
import { keyOf } from '../../storage/master.ts';
import type { World } from '../world.ts';

/** This machine and its files. Sizes are bytes, times milliseconds since 1970. */
export interface HostFacts {
  readonly nowMs: number;
  readonly nodeMajor: number;
  readonly userId: number;
  readonly memory: { readonly total: number; readonly free: number };
  /** Descriptors that a process may have open; undefined = not known here. */
  readonly descriptors: number | undefined;
  readonly maxStreams: number;
  readonly disk: { readonly total: number; readonly free: number; readonly inodes: number; readonly freeInodes: number };
  /** Free space below which no calls are taken. */
  readonly diskReserve: number;
  readonly isWritable: boolean;
  /** Permission bits; undefined = there is no such thing. */
  readonly folderMode: number | undefined;
  readonly keyMode: number | undefined;
  readonly keyPath: string;
  /** What stands where the next start looks for the master key. */
  readonly nextKey: 'same' | 'other' | 'missing';
  readonly databaseMode: number | undefined;
  /** Charges that wait for the database. */
  readonly outbox: { readonly bytes: number; readonly changedMs: number };
  /** Outboxes that hold charges of workers that are no longer started. */
  readonly leftOutboxes: readonly string[];
  readonly workers: number;
  /** The spare file for a full disk; undefined where none is kept. */
  readonly hasBallast: boolean | undefined;
  /** The last backup by the program itself; undefined = none that it knows of. */
  readonly backup: { readonly madeMs: number; readonly bytes: number } | undefined;
  /** The program itself makes its backups. */
  readonly isEmbedded: boolean;
}

export async function gatherHost({ env, clock, db, crypto }: World): Promise<HostFacts> {
  const folder = env.DATA_DIR;
  const isEmbedded = env.DATABASE_URL === undefined;
  const keyPath = env.SECRET_KEY_FILE ?? join(folder, 'secret.key');
  const [disk, folderStat, key, database, outbox, ballast] = await Promise.all([
    statfs(folder),
    find(folder),
    env.SECRET_KEY === undefined ? find(keyPath) : undefined,
    isEmbedded ? find(join(folder, 'tollgate.db')) : undefined,
    outboxOf(folder),
    find(join(folder, 'ballast')),
  ]);
  return {
    nowMs: clock.nowMs(),
    nodeMajor: Number(process.versions.node.split('.')[0]),
    userId: process.getuid?.() ?? -1,
    memory: { total: Math.min(totalmem(), process.constrainedMemory() || totalmem()), free: freemem() },
    descriptors: await descriptorLimit(),
    maxStreams: env.MAX_STREAMS,
    disk: {
      total: disk.blocks * disk.bsize,
      free: disk.bavail * disk.bsize,
      inodes: disk.files,
      freeInodes: disk.ffree,
    },
    diskReserve: reservedBytes({ megabytes: env.DISK_RESERVE_MB, percent: env.DISK_RESERVE_PERCENT }, disk.blocks * disk.bsize),
    isWritable: await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    ),
    folderMode: modeOf(folderStat),
    keyMode: modeOf(key),
    keyPath,
    nextKey: await nextKeyOf(env, crypto),
    databaseMode: modeOf(database),
    outbox,
    leftOutboxes: leftOutboxes(folder, env.WORKERS),
    workers: env.WORKERS,
    hasBallast: db.engine === 'sqlite' ? ballast !== undefined : undefined,
    backup: await readBackupNote(backupNotePath(folder)),
    isEmbedded,
  };
}

/** A server that runs has its key in memory, and would not notice. */
async function nextKeyOf(env: World['env'], crypto: World['crypto']): Promise<HostFacts['nextKey']> {
  const next = await readMasterKey(env).catch(() => undefined);
  if (next === undefined) return 'missing';
  return keyId(next) === keyOf(crypto.seal('', '')) ? 'same' : 'other';
}

/** Of all workers that this folder has or had; the one that was not touched for the longest time. */
async function outboxOf(folder: string): Promise<HostFacts['outbox']> {
  const names = (await readdir(folder)).filter((name) => /^outbox(-\d+)?$/.test(name));
  const found = (await Promise.all(names.map((name) => find(join(folder, name))))).filter((one) => (one?.size ?? 0) > 0);
  return {
    bytes: found.reduce((sum, one) => sum + (one?.size ?? 0), 0),
    changedMs: Math.min(...found.map((one) => one?.mtimeMs ?? 0)),
  };
}

const find = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);
const modeOf = (found: Stats | undefined): number | undefined => (found === undefined ? undefined : found.mode & 0o777);
