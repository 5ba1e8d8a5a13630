import type { MigrationContext } from './context.ts';

/** The payment service's own number of what a notification tells was paid: by it a refund finds a payment that has no order. */
export async function up({ query, text }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('payment_inbox')
    .addColumn('provider_ref', text, (define) => define.notNull().defaultTo(''))
    .execute();
}
