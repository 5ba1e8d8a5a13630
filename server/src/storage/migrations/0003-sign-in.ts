import type { MigrationContext } from './context.ts';

/** The doors: what is redeemed once, second factors, passkeys. */
export async function up({ table, text, int, id, query }: MigrationContext): Promise<void> {
  await table('one_time')
    .addColumn('key_hash', text, (column) => column.notNull().primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('user_id', int, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('tries', int, (column) => column.notNull())
    .addColumn('expires_at', int, (column) => column.notNull())
    .execute();
  await table('totp')
    .addColumn('user_id', int, (column) => column.notNull().primaryKey())
    .addColumn('secret_sealed', text, (column) => column.notNull())
    .addColumn('confirmed', int, (column) => column.notNull())
    .addColumn('last_step', int, (column) => column.notNull())
    .addColumn('created_at', int, (column) => column.notNull())
    .execute();
  await table('recovery_code')
    .addColumn('user_id', int, (column) => column.notNull())
    .addColumn('code_hmac', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_code_pkey', ['user_id', 'code_hmac'])
    .execute();
  await id(table('passkey'))
    .addColumn('user_id', int, (column) => column.notNull())
    .addColumn('credential_id', text, (column) => column.notNull().unique())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('counter', int, (column) => column.notNull())
    .addColumn('transports', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('created_at', int, (column) => column.notNull())
    .addColumn('used_at', int, (column) => column.notNull())
    .execute();
  await query.schema.createIndex('one_time_by_expires_at').on('one_time').column('expires_at').execute();
  await query.schema.createIndex('one_time_by_user_id').on('one_time').columns(['user_id', 'kind']).execute();
  await query.schema.createIndex('passkey_by_user_id').on('passkey').column('user_id').execute();
}
