import type { MigrationContext } from './context.ts';

/** Who gave an answer: only that upstream can continue it. */
export async function up({ table, text, int, id, query }: MigrationContext): Promise<void> {
  await id(table('response_owner'))
    .addColumn('response_id', text, (column) => column.notNull())
    .addColumn('user_id', int, (column) => column.notNull())
    .addColumn('channel_id', int, (column) => column.notNull())
    .addColumn('key_id', text, (column) => column.notNull())
    .addColumn('created_at', int, (column) => column.notNull())
    .addUniqueConstraint('response_owner_of_user', ['response_id', 'user_id'])
    .execute();
  await query.schema.createIndex('response_owner_by_age').on('response_owner').columns(['created_at']).execute();
}
