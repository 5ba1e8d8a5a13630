import type { ColumnBuilderCallback } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** How far the hourly proof has come; what tells invitations of the same person apart; and what finds rows that can go. */
export async function up({ query, table, text, int }: MigrationContext): Promise<void> {
  await table('proof_state')
    .addColumn('id', int, (column) => column.notNull().primaryKey())
    .addColumn('due_at', int, required)
    .addColumn('log_id', int, required)
    .addColumn('checked_at', int, required)
    .addColumn('ok', int, required)
    .addColumn('difference', text, empty)
    .execute();
  await query.schema.alterTable('invite').addColumn('email_hmac', text, empty).execute();
  await query.schema.alterTable('invite').addColumn('device_hmac', text, empty).execute();
  await table('user_device')
    .addColumn('user_id', int, required)
    .addColumn('device_hmac', text, required)
    .addColumn('seen_at', int, zero)
    .addPrimaryKeyConstraint('user_device_pk', ['user_id', 'device_hmac'])
    .execute();
  await query.schema.createIndex('user_device_seen').on('user_device').column('seen_at').execute();
}
