import type { MigrationContext } from './context.ts';

/** What was done to one user, channel or setting. */
export async function up({ query }: MigrationContext): Promise<void> {
  await query.schema.createIndex('audit_by_target').on('audit').columns(['target', 'seq']).execute();
}
