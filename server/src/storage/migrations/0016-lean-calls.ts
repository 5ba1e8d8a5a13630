import type { MigrationContext } from './context.ts';

/** What many holds have in common is kept once; a table that the sums of 0012 have replaced goes. */
export async function up({ query, table, text, int }: MigrationContext): Promise<void> {
  await table('hold_note')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('used_at', int, (column) => column.notNull())
    .execute();
  await query.schema
    .alterTable('hold')
    .addColumn('note_id', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await query.schema.dropTable('usage_hourly').execute();
}
