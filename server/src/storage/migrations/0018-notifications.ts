import type { ColumnBuilderCallback } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** What people are told of, on which ways it went out, and what the operator announces. */
export async function up({ query, table, clustered, id, text, int }: MigrationContext): Promise<void> {
  await id(table('notification'))
    .addColumn('event', text, required)
    .addColumn('body', text, required)
    .addColumn('audience', text, required)
    .addColumn('user_id', int, zero)
    .addColumn('spread_to', int, zero)
    .addColumn('is_spread', int, zero)
    .addColumn('created_at', int, required)
    .execute();
  await query.schema.createIndex('notification_spread').on('notification').columns(['is_spread', 'id']).execute();
  await query.schema.createIndex('notification_created').on('notification').column('created_at').execute();
  await id(table('notification_delivery'))
    .addColumn('notification_id', int, required)
    .addColumn('user_id', int, required)
    .addColumn('way', text, required)
    .addColumn('state', text, required)
    .addColumn('attempts', int, zero)
    .addColumn('due_at', int, required)
    .addColumn('lease_owner', text, empty)
    .addColumn('lease_until', int, zero)
    .addColumn('detail', text, empty)
    .addColumn('created_at', int, required)
    .addColumn('sent_at', int, zero)
    .addUniqueConstraint('notification_delivery_once', ['notification_id', 'user_id', 'way'])
    .execute();
  await query.schema.createIndex('notification_delivery_due').on('notification_delivery').columns(['state', 'due_at']).execute();
  await query.schema.createIndex('notification_delivery_user').on('notification_delivery').columns(['user_id', 'id']).execute();
  await query.schema.createIndex('notification_delivery_created').on('notification_delivery').column('created_at').execute();
  await table('notification_mark')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('reached', int, required)
    .execute();
  await table('wxpusher_code')
    .addColumn('nonce_hash', text, (column) => column.notNull().primaryKey())
    .addColumn('user_id', int, required)
    .addColumn('code', text, required)
    .addColumn('polled_at', int, zero)
    .addColumn('expires_at', int, required)
    .execute();
  await id(table('announcement'))
    .addColumn('kind', text, required)
    .addColumn('title', text, required)
    .addColumn('content', text, required)
    .addColumn('author_id', int, required)
    .addColumn('created_at', int, required)
    .addColumn('updated_at', int, required)
    .execute();
  await clustered('announcement_read')
    .addColumn('user_id', int, required)
    .addColumn('announcement_id', int, required)
    .addPrimaryKeyConstraint('announcement_read_pk', ['user_id', 'announcement_id'])
    .execute();
}
