import type { MigrationContext } from './context.ts';

/** Which deliveries go before which: what is urgent must not wait behind an announcement to everybody. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('notification_delivery')
    .addColumn('lane', int, (define) => define.notNull().defaultTo(1))
    .execute();
  await query.schema
    .createIndex('notification_delivery_lane')
    .on('notification_delivery')
    .columns(['state', 'lane', 'due_at'])
    .execute();
}
