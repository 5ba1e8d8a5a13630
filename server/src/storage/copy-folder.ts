import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { replaceFile } from '../platform/durable.ts';
import { removeLeft } from './backup.ts';

/** The folder where the copies lie that are made before migrations. */
export interface CopyFolder {
  readonly path: string;
  /** The copy that is to be made. */
  readonly next: string;
  /** Of what is not yet a copy. */
  readonly prefix: string;
  /** The copies of earlier starts whose migrations did not end: of before the first one, and the newest; none where all are old. */
  unfinished(): string[];
  /** Bytes. */
  space(): Promise<{ free: number; total: number }>;
  /** `next` is there: older ones than the last few go. */
  made(): void;
  /** The migrations have ended. */
  done(): void;
}

const kept = 3;
const sameUpgradeMs = 3_600_000;
const prefix = '.before-migration-';
/** "" = not a copy. */
const madeAt = (name: string): string => /^before-.+-(\d{8}T\d{6}Z)\.db$/.exec(name)?.[1] ?? '';
/** A moment as a part of a file's name. */
export const stampOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');

interface Wish {
  readonly env: { readonly DATA_DIR: string; readonly MIGRATION_BACKUP_DIR: string | undefined };
  readonly version: string;
  readonly nowMs: number;
}

/** Makes the folder, and removes what a start left there that was killed while it copied. */
export function openCopyFolder({ env, version, nowMs }: Wish): CopyFolder {
  const path = resolve(env.MIGRATION_BACKUP_DIR ?? join(env.DATA_DIR, 'backups'));
  makeWritable(path);
  // Young ones, too: a start is tried again within seconds, and needs their room.
  removeLeft(path, prefix, Number.POSITIVE_INFINITY);
  const next = `before-${version}-${stampOf(nowMs)}.db`;
  // Names the copy of before the first migration of an upgrade that has not ended: the one that must not go.
  const mark = join(path, 'unfinished');
  const first = readMark(mark, path);
  const newestFirst = (): string[] => {
    const names = readdirSync(path).filter((name) => madeAt(name) !== '');
    return names.toSorted((a, b) => (madeAt(a) < madeAt(b) ? 1 : -1));
  };
  return {
    path,
    next: join(path, next),
    prefix,
    unfinished() {
      const [newest = ''] = newestFirst();
      const isOfNow = madeAt(newest) > stampOf(nowMs - sameUpgradeMs);
      return first !== undefined && isOfNow ? [join(path, first), join(path, newest)] : [];
    },
    async space() {
      const { bavail, blocks, bsize } = await statfs(path);
      return { free: bavail * bsize, total: blocks * bsize };
    },
    made() {
      const before = first ?? next;
      replaceFile(mark, before);
      for (const name of newestFirst().slice(kept)) if (name !== before) rmSync(join(path, name), { force: true });
    },
    done: () => rmSync(mark, { force: true }),
  };
}

function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new Error(
      `The folder for the copy that is made before a migration cannot be used: ${error instanceof Error ? error.message : error}. ` +
        'Nothing was changed. Let the user of this process write there (for the systemd unit by ReadWritePaths=), ' +
        'or set MIGRATION_BACKUP_DIR to another folder.',
      { cause: error },
    );
  }
}

function readMark(mark: string, path: string): string | undefined {
  if (!existsSync(mark)) return undefined;
  const name = readFileSync(mark, 'utf8');
  return madeAt(name) !== '' && existsSync(join(path, name)) ? name : undefined;
}
