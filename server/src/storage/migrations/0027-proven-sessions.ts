import type { MigrationContext } from './context.ts';

/** When the password was proven in a session, 0 = never: a third party's word is none for what decides who may sign in. */
export async function up({ query, int }: MigrationContext): Promise<void> {
  await query.schema
    .alterTable('session')
    .addColumn('proven_at', int, (define) => define.notNull().defaultTo(0))
    .execute();
}
