import { adviceOn, databaseFile } from '../sqlite/place.ts';
import type { Side, Target } from './side.ts';

/** Where a database is, as the command line says it: `sqlite:<data folder>` or `postgres://...`. */
export type Address = { readonly dataDir: string } | { readonly url: string };

/** Undefined when the text is neither. */
export function readAddress(text: string): Address | undefined {
  const dataDir = /^sqlite:(.+)$/.exec(text)?.[1];
  if (dataDir !== undefined) return { dataDir };
  return /^postgres(ql)?:\/\//.test(text) ? { url: text } : undefined;
}

/**
 * Opens a database to be read whole. `isAlone`: nobody may write until it is closed; throws DatabaseError, kind `busy`,
 * when somebody else has it open. Otherwise what is read is that of one moment.
 */
export async function openSource(address: Address, options: { isAlone: boolean }): Promise<Side> {
  if ('dataDir' in address) return (await import('../sqlite/bulk.ts')).openSqliteSource(address.dataDir, options);
  return (await import('../postgres/bulk.ts')).openPostgresSource(address.url, options);
}

/** Opens an empty database, or a place for one, to be filled. Throws when there is something already. */
export async function openTarget(address: Address): Promise<Target> {
  if ('dataDir' in address) return (await import('../sqlite/bulk.ts')).openSqliteTarget(address.dataDir);
  return (await import('../postgres/bulk.ts')).openPostgresTarget(address.url);
}

/** What the embedded engine says of a file that cannot be used names neither it nor what to do. */
export function namingFile(error: unknown, addresses: readonly Address[]): unknown {
  const embedded = addresses.find((address) => 'dataDir' in address);
  const { code, message } = error as { code?: unknown; message?: unknown };
  const advice = embedded === undefined ? '' : adviceOn(String(code), databaseFile(embedded.dataDir));
  return advice === '' ? error : new Error(`${message}${advice}`, { cause: error });
}
