import type { MigrationContext } from './context.ts';

/** Channels: further request headers of their own, a JSON object. */
export async function up({ query, text }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('channel')
    .addColumn('header_override', text, (column) => column.notNull().defaultTo(''))
    .execute();
}
