import { type ColumnBuilderCallback, sql } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();

/** One history for all options; that of the prices moves into it. */
export async function up({ query, table, id, text, int, appendOnly }: MigrationContext): Promise<void> {
  await id(table('option_version'))
    .addColumn('author_id', int, required)
    .addColumn('author', text, required)
    .addColumn('created_at', int, required)
    .addColumn('note', text, required)
    .addColumn('changed', int, required)
    .addColumn('diff', text, required)
    .addColumn('before_values', text, required)
    .addColumn('price_values', text, required)
    .execute();
  await sql`INSERT INTO option_version (author_id, author, created_at, note, changed, diff, before_values, price_values)
    SELECT author_id, author, created_at, note, changed, diff, '{}', price_values FROM price_version ORDER BY id`.execute(query);
  await query.schema.dropTable('price_version').execute();
  await appendOnly('option_version');
}
