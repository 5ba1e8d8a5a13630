import { type Kysely, sql } from 'kysely';
import { nameKey } from '../../platform/name-key.ts';
import type { MigrationContext } from './context.ts';

interface Named {
  readonly id: number;
  readonly username: string;
}

const pageRows = 1_000;

/** What user names are compared by. Of several that are one to people the first has it; the others have none and stay. */
export async function up({ query, text }: MigrationContext): Promise<void> {
  await query.schema.alterTable('users').addColumn('name_key', text).execute();
  // True of most, so that only the others are written one by one.
  await sql`UPDATE users SET name_key = username`.execute(query);
  await correctKeys(query);
  await query.schema.createIndex('users_by_name_key').on('users').column('name_key').unique().execute();
}

async function correctKeys(query: Kysely<unknown>): Promise<void> {
  const taken = new Set(['']);
  for (let last = 0; ; ) {
    const page = sql<Named>`SELECT id, username FROM users WHERE id > ${last} ORDER BY id LIMIT ${pageRows}`;
    const { rows } = await page.execute(query);
    for (const { id, username } of rows) {
      const key = nameKey(username);
      const kept = taken.has(key) ? null : key;
      taken.add(key);
      if (kept !== username) await sql`UPDATE users SET name_key = ${kept} WHERE id = ${id}`.execute(query);
      last = id;
    }
    if (rows.length < pageRows) return;
  }
}
