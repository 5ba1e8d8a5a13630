import { type ColumnBuilderCallback, sql } from 'kysely';
import type { MigrationContext } from './context.ts';

const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);

/** Orders of which the payment service is asked itself, and when; those of before are not. */
export async function up({ query, text, int }: MigrationContext): Promise<void> {
  const order = () => query.schema.alterTable('topup_order');
  await order()
    .addColumn('page_ref', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await order().addColumn('ask_at', int, zero).execute();
  await order().addColumn('asks', int, zero).execute();
  await query.schema.createIndex('topup_order_ask').on('topup_order').column('ask_at').where(sql.ref('ask_at'), '>', 0).execute();
}
