import { sql } from 'kysely';
import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';

/** What can only be said before the first query of a transaction, unless it is so already. */
const tooLate = '25001';

/** Resolves while the database answers and takes writes: one that only reads, as a replica does, can hold nothing. */
export async function pingDatabase({ engine, read, refusal }: Pick<Database, 'engine' | 'read' | 'refusal'>): Promise<void> {
  if (engine === 'sqlite') return void (await sql`SELECT 1`.execute(read));
  const refused = refusal?.();
  if (refused !== undefined) throw refused;
  try {
    // Not looked at but asked for: a connection on which something fails is not used again, and after a fail-over another may lead elsewhere.
    await sql`SELECT set_config('transaction_read_only', 'off', true)`.execute(read);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== tooLate) throw error;
    throw new DatabaseError('unavailable', '25006', 'The database only reads', error);
  }
}
