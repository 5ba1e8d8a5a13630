import { type ColumnBuilderCallback, sql } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');
const key = [
  'cube',
  'owner',
  'start',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'channel_id',
  'group_name',
] as const;

/** Hourly and daily sums of the log, and how far they reach. The job fills them from the first row on. */
export async function up(context: MigrationContext): Promise<void> {
  await sumTable(context, 'usage_hour');
  await sumTable(context, 'usage_day');
  const { query, table, text, int } = context;
  await table('usage_owner')
    .addColumn('username', text, required)
    .addColumn('user_id', int, required)
    .addPrimaryKeyConstraint('usage_owner_pkey', ['username', 'user_id'])
    .execute();
  await table('usage_rollup')
    .addColumn('id', int, (column) => column.notNull().primaryKey())
    .addColumn('rolled_to', int, zero)
    .addColumn('revision', int, zero)
    .addColumn('node', text, empty)
    .addColumn('lease_until', int, zero)
    .execute();
  await sql`INSERT INTO usage_rollup (id) VALUES (1)`.execute(query);
}

/** One like the others: the sums of 0035 are stored by the same statements. */
export async function sumTable({ clustered, text, int }: MigrationContext, name: string): Promise<void> {
  await clustered(name)
    .addColumn('cube', int, required)
    .addColumn('owner', int, zero)
    .addColumn('start', int, required)
    .addColumn('user_id', int, zero)
    .addColumn('username', text, empty)
    .addColumn('token_id', int, zero)
    .addColumn('token_name', text, empty)
    .addColumn('model_name', text, empty)
    .addColumn('channel_id', int, zero)
    .addColumn('group_name', text, empty)
    .addColumn('calls', int, zero)
    .addColumn('errors', int, zero)
    .addColumn('quota', int, zero)
    .addColumn('prompt_tokens', int, zero)
    .addColumn('completion_tokens', int, zero)
    .addColumn('cached_tokens', int, zero)
    .addColumn('streams', int, zero)
    .addColumn('latency', text, empty)
    .addColumn('first_token', text, empty)
    .addPrimaryKeyConstraint(`${name}_pkey`, [...key])
    .execute();
}
