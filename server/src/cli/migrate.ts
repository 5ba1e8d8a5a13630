import { type Env, readEnv } from '../env.ts';
import { bringUpToDate } from '../main-migrate.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { DatabaseError } from '../storage/errors.ts';
import { type PendingMigration, pendingMigrations } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';
import { type CliWorld, type Outcome, placed } from './outcome.ts';

/** Rows that are read and put into an index in a second, on a small machine. */
const rowsPerSecond = 200_000;

/** Brings the schema up to date; with `dryRun` only says what that would apply and how long it takes, and creates nothing. */
export async function migrateCommand(world: CliWorld, { dryRun = false }: { dryRun?: boolean }): Promise<Outcome> {
  const env = readEnv(world.env);
  return dryRun ? rehearse(env) : apply(world, env);
}

async function apply({ clock, err }: CliWorld, env: Env): Promise<Outcome> {
  const tell = (text: string) => err(`${text}\n`);
  const db = await openStorage(env);
  const { applied, backup } = await bringUpToDate({ db, env, clock, log: { info: tell, warn: tell } }).finally(() => db.close());
  const text = ['Applied migrations:', ...applied.map((name) => `  ${name}`)].join('\n');
  return placed(env, { exitCode: 0, text: applied.length === 0 ? upToDate : text, json: { applied, backup } });
}

const upToDate = 'The database is up to date.';

async function rehearse(env: Env): Promise<Outcome> {
  const steps = await pending(env);
  const seconds = Math.ceil(steps.reduce((sum, { rows }) => sum + rows, 0) / rowsPerSecond);
  const lines = steps.map(({ name, rows }) => `  ${name}${rows === 0 ? '' : ` (${rows} rows to read)`}`);
  const text = ['Pending migrations:', ...lines, `They take about ${Math.max(1, seconds)} s.`].join('\n');
  const json = { pending: steps.map(({ name }) => name), steps, estimated_seconds: seconds };
  return { exitCode: 0, text: steps.length === 0 ? upToDate : text, json };
}

async function pending(env: Env): Promise<PendingMigration[]> {
  try {
    const db = await openStorageForReading(env);
    return await pendingMigrations(db).finally(() => db.close());
  } catch (error) {
    const isMissing = error instanceof DatabaseError && error.code === 'SQLITE_CANTOPEN';
    if (!isMissing) throw error;
    return migrations.map(({ name }) => ({ name, rows: 0 }));
  }
}
