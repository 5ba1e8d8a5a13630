import { sql } from 'kysely';
import type { MigrationContext } from './context.ts';

/** How much of its money an order gave back: of those of before as far as their service told it in the same currency. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('topup_order')
    .addColumn('refunded_cents', int, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`UPDATE topup_order SET refunded_cents = money_cents WHERE state = 'refunded'`.execute(query);
  await sql`UPDATE topup_order SET refunded_cents = COALESCE((
      SELECT MAX(told.money_cents) FROM payment_inbox AS told
      WHERE told.verdict = 'refunded' AND told.order_id = topup_order.id
        AND told.currency = topup_order.currency AND told.money_cents < topup_order.money_cents), 0)
    WHERE state IN ('paid', 'paid_late') AND id IN (SELECT order_id FROM payment_inbox WHERE verdict = 'refunded')`.execute(
    query,
  );
}
