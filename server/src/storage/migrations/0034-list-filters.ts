import type { MigrationContext } from './context.ts';

/** By what long lists are narrowed most: payments by their time, the audit log by who did it. Rows of both come one at a time. */
export async function up({ query }: MigrationContext): Promise<void> {
  await query.schema.createIndex('audit_by_name').on('audit').columns(['actor', 'seq']).execute();
  await query.schema.createIndex('topup_order_created').on('topup_order').columns(['created_at', 'id']).execute();
  await query.schema.createIndex('agent_dividend_created').on('agent_dividend').columns(['created_at', 'id']).execute();
}
