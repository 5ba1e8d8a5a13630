import type { ColumnBuilderCallback } from 'kysely';
import type { MigrationContext } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();

/** Every state that the prices were in, with who brought it about. */
export async function up({ table, id, text, int, appendOnly }: MigrationContext): Promise<void> {
  await id(table('price_version'))
    .addColumn('author_id', int, required)
    .addColumn('author', text, required)
    .addColumn('created_at', int, required)
    .addColumn('note', text, required)
    .addColumn('changed', int, required)
    .addColumn('diff', text, required)
    .addColumn('price_values', text, required)
    .execute();
  await appendOnly('price_version');
}
