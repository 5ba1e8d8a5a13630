import type { WorkRegistry } from '../storage/database.ts';

/** The programs that run where the writer is. */
export const works: WorkRegistry = {};
