import type { MigrationContext } from './context.ts';

/** Whether programs that do not know a migration work on beside it: 1 = it only added what they need not write or read. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('migration')
    .addColumn('only_adds', int, (define) => define.notNull().defaultTo(0))
    .execute();
}
