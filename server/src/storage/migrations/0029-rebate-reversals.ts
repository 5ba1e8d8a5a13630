import { type ColumnBuilderCallback, sql } from 'kysely';
import type { MigrationContext } from './context.ts';

const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);

/** What of a rebate is to go back because its payment did, and what went back of that. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  await query.schema.alterTable('invite_reward').addColumn('reversed', int, zero).execute();
  await query.schema.alterTable('invite_reward').addColumn('returned', int, zero).execute();
  await sql`CREATE INDEX invite_reward_owed ON invite_reward (inviter_id) WHERE returned < reversed`.execute(query);
}
