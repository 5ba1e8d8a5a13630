import { sql } from 'kysely';
import type { MigrationContext } from './context.ts';

/**
 * All that sums of movements are made of: their rows lie scattered among those of charges. With `kind`, which SQLite looks at
 * although the index has it settled.
 */
export async function up({ query }: MigrationContext): Promise<void> {
  const what = sql`(to_account, from_account, kind, amount) WHERE kind NOT IN ('charge', 'correction')`;
  await sql`CREATE INDEX transfer_sides ON transfer ${what}`.execute(query);
}
