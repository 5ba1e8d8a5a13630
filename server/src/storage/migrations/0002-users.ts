import { sql } from 'kysely';
import type { MigrationContext } from './context.ts';

/** People: the audit chain, and finding a user by address. */
export async function up(context: MigrationContext): Promise<void> {
  const { table, text, int, query } = context;
  await table('audit')
    .addColumn('seq', int, (column) => column.notNull().primaryKey())
    .addColumn('created_at', int, (column) => column.notNull())
    .addColumn('actor_id', int, (column) => column.notNull())
    .addColumn('actor', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('target', text, (column) => column.notNull())
    .addColumn('detail', text, (column) => column.notNull())
    .addColumn('ip', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .execute();
  await context.appendOnly('audit');
  await table('audit_head')
    .addColumn('id', int, (column) => column.notNull().primaryKey())
    .addColumn('seq', int, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .execute();
  await sql`INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '')`.execute(query);
  const index = (name: string, of: string, columns: string[]) => query.schema.createIndex(name).on(of).columns(columns).execute();
  await index('audit_by_actor', 'audit', ['actor_id', 'seq']);
  await index('audit_by_action', 'audit', ['action', 'seq']);
  await index('audit_by_created_at', 'audit', ['created_at']);
  await index('users_by_email', 'users', ['email']);
}
