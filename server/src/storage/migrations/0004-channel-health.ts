import type { MigrationContext } from './context.ts';

/** Channels: what happened to them and why, and credentials that are switched off alone. */
export async function up(context: MigrationContext): Promise<void> {
  const { table, text, int, id, query } = context;
  await id(table('channel_event'))
    .addColumn('channel_id', int, (column) => column.notNull())
    .addColumn('created_at', int, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('actor', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('key_index', int, (column) => column.notNull())
    .addColumn('evidence', text, (column) => column.notNull())
    .execute();
  await query.schema.createIndex('channel_event_by_channel').on('channel_event').columns(['channel_id', 'id']).execute();
  await table('channel_key')
    .addColumn('channel_id', int, (column) => column.notNull())
    .addColumn('key_hmac', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('changed_at', int, (column) => column.notNull())
    .addPrimaryKeyConstraint('channel_key_pkey', ['channel_id', 'key_hmac'])
    .execute();
}
