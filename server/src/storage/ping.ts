import { sql } from 'kysely';
import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';

/** Resolves while the database answers and takes writes: one that only reads, as a replica does, can hold nothing. */
export async function pingDatabase({ engine, read }: Pick<Database, 'engine' | 'read'>): Promise<void> {
  if (engine === 'sqlite') return void (await sql`SELECT 1`.execute(read));
  const { rows } = await sql<{ only_reads: string }>`SELECT current_setting('transaction_read_only') AS only_reads`.execute(read);
  if (rows[0]?.only_reads === 'on') throw new DatabaseError('unavailable', '25006', 'The database only reads');
}
