import { sql } from 'kysely';
import type { MigrationContext } from './context.ts';

/** Movements of agents are few among those of calls: the proof reads them alone. */
export async function up({ query }: MigrationContext): Promise<void> {
  const index = query.schema.createIndex('transfer_of_cents').on('transfer').column('id');
  await index.where(sql.ref('unit'), '=', 'cent').execute();
}
