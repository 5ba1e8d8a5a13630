import type { MigrationContext } from './context.ts';

/** The key that a token had before, for as long as it still works. */
export async function up({ query, text, int }: MigrationContext): Promise<void> {
  for (const [name, type, fallback] of [
    ['old_key_hmac', text, undefined],
    ['old_key_hint', text, ''],
    ['old_key_until', int, 0],
    ['old_key_warn_at', int, 0],
  ] as const) {
    await query.schema
      .alterTable('token')
      .addColumn(name, type, (define) => (fallback === undefined ? define : define.notNull().defaultTo(fallback)))
      .execute();
  }
  await query.schema.createIndex('token_old_key').on('token').column('old_key_hmac').unique().execute();
  await query.schema.createIndex('token_old_key_warning').on('token').column('old_key_warn_at').execute();
}
