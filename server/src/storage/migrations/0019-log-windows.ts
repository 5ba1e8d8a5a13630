import { partitionLog } from '../postgres/log-windows.ts';
import type { MigrationContext } from './context.ts';

/** The log in windows of ids (PostgreSQL), and charges beside the postings. */
export async function up({ engine, query, int }: MigrationContext): Promise<void> {
  if (engine === 'postgres') await partitionLog(query);
  // Null where postings were made before: those are made anew.
  await query.schema.alterTable('log_posting').addColumn('quota', int).execute();
  await query.schema
    .alterTable('log_segment')
    .addColumn('version', int, (column) => column.notNull().defaultTo(0))
    .execute();
}
