import type { ColumnBuilderCallback } from 'kysely';
import type { MigrationContext } from './context.ts';

const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);

/** Codes that end, and how many of one name a user may redeem, who is counted by the index. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  const codes = query.schema.alterTable('redemption');
  await codes.addColumn('expires_at', int, zero).execute();
  await codes.addColumn('per_user', int, zero).execute();
  await query.schema.createIndex('redemption_used_by').on('redemption').columns(['used_user_id', 'name']).execute();
}
