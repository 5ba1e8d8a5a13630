import { join } from 'node:path';

/** Where the embedded database lies in a data folder. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'tollgate.db');

/** What stands beside a database that somebody has open, or that was not closed. */
export const companions = ['-wal', '-shm', '-journal'] as const;
