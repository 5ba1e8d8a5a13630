import { type Env, readEnv } from '../env.ts';
import { meanings, openSource, type Report, readSourceAddress, runImport } from '../imports/index.ts';
import { bringUpToDate } from '../main-migrate.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { type Crypto, createCrypto } from '../platform/crypto.ts';
import { createSettings } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseError } from '../storage/errors.ts';
import { masterKeyOf, openCrypto } from '../storage/master.ts';
import { presentCrypto } from './database.ts';
import { type CliWorld, type Outcome, placed, UsageError } from './outcome.ts';

export interface ImportOptions {
  readonly from: string;
  readonly dryRun?: boolean;
  readonly delta?: boolean;
  readonly json?: boolean;
}

/** Brings users, tokens, channels, options and codes of another product's database here, or says what it would bring. */
export async function importCommand(world: CliWorld, options: ImportOptions): Promise<Outcome> {
  const address = readSourceAddress(addressIn(world, options.from));
  // Not repeated: it may hold a password.
  if (address === undefined)
    throw new UsageError('--from must be a SQLite file, mysql://... or postgres://..., or env:NAME of a variable that says it');
  const mode = options.dryRun ? 'dry-run' : options.delta ? 'delta' : 'import';
  const env = readEnv(world.env);
  const source = await openSource(address);
  try {
    const target = mode === 'dry-run' ? await openForRehearsal(env) : await openForWriting(world, env);
    try {
      const settings =
        target.db &&
        (await createSettings({
          ...target,
          db: target.db,
          clock: world.clock,
          changes: { notify: () => undefined },
          warn: () => undefined,
        }));
      const report = await runImport({
        source,
        mode,
        ...target,
        settings,
        clock: world.clock,
        progress: ({ kind, done, found }) =>
          world.err(options.json ? `${JSON.stringify({ kind, done, found })}\n` : `${done} of ${found} ${kind}\n`),
      });
      const outcome: Outcome = { exitCode: report.ok ? 0 : 1, text: textOf(report), json: report };
      return mode === 'dry-run' ? outcome : placed(env, outcome);
    } finally {
      await target.db?.close();
    }
  } finally {
    await source.close();
  }
}

/** Arguments can be read by everybody on a machine; an environment cannot. */
function addressIn({ env }: CliWorld, from: string): string {
  return from.startsWith('env:') ? (env[from.slice('env:'.length)] ?? '') : from;
}

interface Target {
  readonly db: Database | undefined;
  readonly crypto: Crypto;
}

async function openForWriting({ clock, err }: CliWorld, env: Env): Promise<Target> {
  const tell = (text: string) => err(`${text}\n`);
  const db = await openStorage(env);
  try {
    const masterKey = await masterKeyOf(db, env);
    await bringUpToDate({ db, env, clock, log: { info: tell, warn: tell } });
    return { db, crypto: await openCrypto(db, masterKey) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Creates nothing: where there is no database yet, everything would be new. */
async function openForRehearsal(env: Env): Promise<Target> {
  let db: Database;
  try {
    db = await openStorageForReading(env);
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === 'SQLITE_CANTOPEN')) throw error;
    return { db: undefined, crypto: createCrypto(new Uint8Array(32)) };
  }
  try {
    return { db, crypto: await presentCrypto(db, env) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

function textOf(report: Report): string {
  const { product, mode, counts, notes, noted, before, after, debts, left, ok } = report;
  const rows = Object.entries(counts)
    .filter(([, { found }]) => found > 0)
    .map(
      ([kind, { found, imported, known, changed, skipped }]) =>
        `  ${kind.padEnd(12)}${found} found: ${imported} new, ${known} here already, ${changed} changed since, ${skipped} left out`,
    );
  const sums = (totals: { balance: number; used: number; affiliate: number }): string =>
    `balances ${totals.balance}, spent ${totals.used}, rewards ${totals.affiliate}`;
  const remarks = Object.entries(noted).map(([name, count]) => {
    const examples = notes.filter(({ kind, what }) => `${kind}.${what}` === name);
    const shown = examples.slice(0, 5).map(({ key, detail }) => (detail === '' ? key : `${key} (${detail})`));
    return `  ${name}: ${count}: ${meanings[name]?.[1] ?? ''}\n      ${shown.join(', ')}`;
  });
  const stays = Object.entries(left).map(([table, count]) => `${table} ${count}`);
  return [
    `A database of ${product}${mode === 'dry-run' ? ', looked at only: nothing was changed' : ''}.`,
    ...rows,
    `  quota there: ${sums(before)}${debts > 0 ? `; debts of ${debts} are not brought over` : ''}`,
    ...(after === undefined ? [] : [`  opened here: ${sums(after)}`]),
    ...(remarks.length > 0 ? ['Good to know:', ...remarks] : []),
    ...(stays.length > 0 ? [`Not brought over, rows: ${stays.join(', ')}`] : []),
    verdictOf(report, ok),
  ].join('\n');
}

function verdictOf({ mode, counts }: Report, ok: boolean): string {
  if (!ok) return 'What is here does not equal what is there. Nothing was corrected; look at the sums above.';
  const waits = Object.values(counts).some(({ changed }) => changed > 0);
  if (mode === 'dry-run') return 'Run the same without --dry-run to bring it over.';
  return waits && mode !== 'delta' ? 'Some rows changed there since they came: --delta brings the difference.' : 'Done.';
}
