import type { MigrationContext } from './context.ts';

/** What a token may do beside its quota, and how much a user may ask for: JSON objects, "" = no limit. */
export async function up({ query, text }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('token')
    .addColumn('policy', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await query.schema
    .alterTable('users')
    .addColumn('limits', text, (column) => column.notNull().defaultTo(''))
    .execute();
}
