import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The last one and what comes after it, as the build writes them. */
const endOfMigrations = /(\{\s*name: "\d{4}-[^"]+",[^{}]*\})(\s*\];)/;
const root = path.resolve(import.meta.dirname, '../..');

/** A column in tables that every call writes, and a table: what a next version may add. */
const adds = `{ name: '9001-adds', onlyAdds: true, async up({ query }) {
  for (const table of ['wallet', 'hold', 'log']) await query.schema.alterTable(table).addColumn('next_note', 'text').execute();
  await query.schema.createTable('next_thing').addColumn('id', 'bigint', (column) => column.primaryKey()).execute();
} }`;
/** What no version may do to those before it without saying so. */
const changes = `{ name: '9002-changes', async up({ query }) {
  await query.schema.alterTable('wallet').renameColumn('next_note', 'later_note').execute();
} }`;

export interface NextVersion {
  /** The program that is started. */
  readonly main: string;
  remove(): Promise<void>;
}

/** The built server with further migrations, as a program of its own in a folder of its own. */
export async function buildNextVersion({ isCompatible }: { isCompatible: boolean }): Promise<NextVersion> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-next-'));
  for (const name of ['node_modules', 'console', 'contract', 'wire', 'docs', 'package.json'])
    await symlink(path.join(root, name), path.join(folder, name));
  await cp(path.join(root, 'server/dist'), path.join(folder, 'server/dist'), { recursive: true });
  await symlink(path.join(root, 'server/package.json'), path.join(folder, 'server/package.json'));
  const main = path.join(folder, 'server/dist/main.js');
  const text = await readFile(main, 'utf8');
  const added = isCompatible ? adds : `${adds}, ${changes}`;
  const next = text.replace(endOfMigrations, (_, last: string, close: string) => `${last}, ${added}${close}`);
  if (next === text) throw new Error(`the list of migrations is not to be found in ${main}`);
  await writeFile(main, next);
  return { main, remove: () => rm(folder, { recursive: true, force: true }) };
}
