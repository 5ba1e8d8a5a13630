import { type Env, readEnv } from '../env.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { DatabaseError } from '../storage/errors.ts';
import { migrate, pendingMigrations } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';
import type { CliWorld, Outcome } from './outcome.ts';

/** Brings the schema up to date; with `dryRun` only says what that would apply and creates nothing. */
export async function migrateCommand(world: CliWorld, { dryRun = false }: { dryRun?: boolean }): Promise<Outcome> {
  const env = readEnv(world.env);
  const names = dryRun ? await pending(world, env) : await apply(world, env);
  const list = names.map((name) => `  ${name}`).join('\n');
  const heading = dryRun ? 'Pending migrations:' : 'Applied migrations:';
  const text = names.length === 0 ? 'The database is up to date.' : `${heading}\n${list}`;
  return { exitCode: 0, text, json: dryRun ? { pending: names } : { applied: names } };
}

async function apply({ clock }: CliWorld, env: Env): Promise<string[]> {
  const db = await openStorage(env, clock);
  return migrate(db).finally(() => db.close());
}

async function pending({ clock }: CliWorld, env: Env): Promise<string[]> {
  try {
    const db = await openStorageForReading(env, clock);
    return await pendingMigrations(db).finally(() => db.close());
  } catch (error) {
    const isMissing = error instanceof DatabaseError && error.code === 'SQLITE_CANTOPEN';
    if (!isMissing) throw error;
    return migrations.map(({ name }) => name);
  }
}
