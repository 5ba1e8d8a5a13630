import { type ColumnBuilderCallback, sql } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** What finds rows of the log at any size, what stays of deleted ones, and kept bodies. */
export async function up(context: MigrationContext): Promise<void> {
  await logColumns(context);
  await segmentTables(context);
  await compactionTable(context);
  await bodyTable(context);
}

async function logColumns({ query, int }: MigrationContext): Promise<void> {
  await query.schema.alterTable('log').addColumn('hidden', int, zero).execute();
  // Ids begin with the time, so that the index grows at its end.
  await sql`CREATE INDEX log_by_request_id ON log (request_id) WHERE request_id <> ''`.execute(query);
}

async function segmentTables({ table, text, int }: MigrationContext): Promise<void> {
  await table('log_segment')
    .addColumn('id', int, (column) => column.notNull().primaryKey())
    .addColumn('epoch', int, required)
    .addColumn('row_count', int, required)
    .addColumn('hidden_count', int, required)
    .addColumn('first_at', int, required)
    .addColumn('last_at', int, required)
    .addColumn('outliers', text, empty)
    .addColumn('quotas', text, empty)
    .execute();
  await table('log_posting')
    .addColumn('segment', int, required)
    .addColumn('dimension', int, required)
    .addColumn('value', text, required)
    .addColumn('positions', text, required)
    .addPrimaryKeyConstraint('log_posting_pkey', ['segment', 'dimension', 'value'])
    .execute();
  await table('log_touch')
    .addColumn('segment', int, (column) => column.notNull().primaryKey())
    .addColumn('epoch', int, required)
    .execute();
}

async function compactionTable({ table, int }: MigrationContext): Promise<void> {
  await table('log_compaction')
    .addColumn('user_id', int, (column) => column.notNull().primaryKey())
    .addColumn('row_count', int, zero)
    .addColumn('quota', int, zero)
    .addColumn('shortfall', int, zero)
    .addColumn('prompt_tokens', int, zero)
    .addColumn('completion_tokens', int, zero)
    .addColumn('last_at', int, zero)
    .execute();
}

async function bodyTable({ query, table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('log_body'))
    .addColumn('request_id', text, (column) => column.notNull().unique())
    .addColumn('user_id', int, required)
    .addColumn('created_at', int, required)
    .addColumn('status', int, zero)
    .addColumn('request', text, empty)
    .addColumn('response', text, empty)
    .addColumn('truncated', int, zero)
    .execute();
  await query.schema.createIndex('log_body_created_at').on('log_body').column('created_at').execute();
}
