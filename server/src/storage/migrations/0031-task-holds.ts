import { sql } from 'kysely';
import type { MigrationContext } from './context.ts';

/** Finds what is held for a user's tasks, which budgets of a day and a month count; holds of calls are not in it. */
export async function up({ query }: MigrationContext): Promise<void> {
  await query.schema
    .createIndex('hold_of_tasks')
    .on('hold')
    .column('user_id')
    .where(sql.ref('keeper'), '=', sql.lit('task'))
    .execute();
}
