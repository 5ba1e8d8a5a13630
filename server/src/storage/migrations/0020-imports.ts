import type { MigrationContext } from './context.ts';

/** What came from which row of another product, so that an import can be repeated. */
export async function up({ clustered, text, int }: MigrationContext): Promise<void> {
  await clustered('import_row')
    .addColumn('source', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('source_key', text, (column) => column.notNull())
    .addColumn('target_id', int, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('import_row_pkey', ['source', 'kind', 'source_key'])
    .execute();
}
