import type { MigrationContext } from './context.ts';

/** What calls were charged on a channel until it is added up in the channel's row: no call waits for that row. */
export async function up({ table, id, int }: MigrationContext): Promise<void> {
  await id(table('channel_charge'))
    .addColumn('channel_id', int, (column) => column.notNull())
    .addColumn('quota', int, (column) => column.notNull())
    .execute();
}
