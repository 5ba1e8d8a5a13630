import { type Kysely, sql } from 'kysely';
import { nameKey } from '../../platform/name-key.ts';
import type { MigrationContext } from './context.ts';

interface Named {
  readonly id: number;
  readonly username: string;
}

/** Written together: while the column is new, calls wait for the table. */
const pageRows = 1_000;

/** What user names are compared by. Of several that are one to people the first has it; the others have none and stay. */
export async function up({ query, text }: MigrationContext): Promise<void> {
  await query.schema.alterTable('users').addColumn('name_key', text).execute();
  await writeKeys(query);
  await query.schema.createIndex('users_by_name_key').on('users').column('name_key').unique().execute();
}

async function writeKeys(query: Kysely<unknown>): Promise<void> {
  const taken = new Set(['']);
  for (let last = 0; ; ) {
    const page = sql<Named>`SELECT id, username FROM users WHERE id > ${last} ORDER BY id LIMIT ${pageRows}`;
    const { rows } = await page.execute(query);
    if (rows.length === 0) return;
    const keyed = rows.map(({ id, username }) => {
      const key = nameKey(username);
      const kept = taken.has(key) ? null : key;
      taken.add(key);
      return sql`(CAST(${id} AS bigint), CAST(${kept} AS text))`;
    });
    const values = sql`(VALUES ${sql.join(keyed)}) AS keyed`;
    await sql`UPDATE users SET name_key = keyed.column2 FROM ${values} WHERE users.id = keyed.column1`.execute(query);
    last = rows.at(-1)?.id ?? last;
  }
}
