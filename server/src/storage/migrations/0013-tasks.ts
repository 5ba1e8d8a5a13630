import type { ColumnBuilderCallback } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** Work that upstreams do in the background: drawings, music, videos. One table, one row for each. */
export async function up({ table, text, int, id, query }: MigrationContext): Promise<void> {
  await id(table('task'))
    .addColumn('public_id', text, (column) => column.notNull().unique())
    .addColumn('platform', text, required)
    .addColumn('action', text, required)
    .addColumn('user_id', int, required)
    .addColumn('token_id', int, required)
    .addColumn('channel_id', int, zero)
    .addColumn('key_id', text, empty)
    .addColumn('group_name', text, required)
    .addColumn('model', text, required)
    .addColumn('hold_id', text, (column) => column.notNull().unique())
    .addColumn('quota', int, required)
    .addColumn('charge', text, empty)
    .addColumn('upstream_id', text, empty)
    .addColumn('code', int, zero)
    .addColumn('status', text, empty)
    .addColumn('progress', int, zero)
    .addColumn('fail_reason', text, empty)
    .addColumn('late_status', text, empty)
    .addColumn('mode', text, empty)
    .addColumn('input', text, empty)
    .addColumn('data', text, empty)
    .addColumn('created_at', int, required)
    .addColumn('updated_at', int, required)
    .addColumn('submit_at_ms', int, required)
    .addColumn('start_at_ms', int, zero)
    .addColumn('finish_at_ms', int, zero)
    .addColumn('deadline_at_ms', int, required)
    .addColumn('closed_at', int, zero)
    .addColumn('due_at_ms', int)
    .addColumn('lease_owner', text, empty)
    .addColumn('lease_until_ms', int, zero)
    .addColumn('attempts', int, zero)
    .addColumn('revision', int, zero)
    .addColumn('hidden', int, zero)
    .execute();
  const index = (name: string, columns: ('due_at_ms' | 'upstream_id' | 'platform' | 'user_id' | 'id')[]) =>
    query.schema.createIndex(`task_${name}`).on('task').columns(columns).execute();
  await index('due', ['due_at_ms']);
  await index('upstream', ['upstream_id', 'user_id']);
  await index('platform', ['platform', 'id']);
  await index('owner', ['user_id', 'platform', 'id']);
  // Who may close a hold: "" = its call or a sweep, `task` = the task gate alone.
  await query.schema
    .alterTable('hold')
    .addColumn('keeper', text, (column) => column.notNull().defaultTo(''))
    .execute();
}
