import type { MigrationContext } from './context.ts';

/** Daily sums of each user are made of the hours when a day is over; how far that is. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  for (const column of ['closed_to', 'closed_owner']) {
    await query.schema
      .alterTable('usage_rollup')
      .addColumn(column, int, (define) => define.notNull().defaultTo(0))
      .execute();
  }
}
