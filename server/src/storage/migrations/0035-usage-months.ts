import { sumTable } from './0012-usage-rollups.ts';
import type { MigrationContext } from './context.ts';

/** Sums of months, made of the daily ones that are there and of those that come; how far that is. */
export async function up(context: MigrationContext): Promise<void> {
  await sumTable(context, 'usage_month');
  for (const column of ['month_to', 'month_owner']) {
    await context.query.schema
      .alterTable('usage_rollup')
      .addColumn(column, context.int, (define) => define.notNull().defaultTo(0))
      .execute();
  }
}
