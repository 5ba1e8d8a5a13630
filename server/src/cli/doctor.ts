import { styleText } from 'node:util';
import type { DoctorReport, LedgerProof } from '@tollgate/contract';
import { proveLedger } from '../billing/index.ts';
import { openDoctor } from '../main-doctor.ts';
import type { Clock } from '../platform/clock.ts';
import { type MasterKeySource, readMasterKey } from '../platform/master-key.ts';
import type { Database } from '../storage/database.ts';
import { openCrypto } from '../storage/master.ts';
import { lookedAt } from './database.ts';
import type { CliWorld, Outcome } from './outcome.ts';

/** Every check of the doctor on what the environment names; changes nothing, also beside a running server. */
export function doctorAll(world: CliWorld): Promise<Outcome> {
  return lookedAt(world, async (db, env) => {
    const crypto = await openCrypto(db, await readMasterKey(env));
    const report = await openDoctor({ db, clock: world.clock, env, crypto }).report('en');
    return { exitCode: report.ok ? 0 : 1, text: reportTable(report), json: report };
  });
}

/** What is not as it should be, each with what to do, and the verdict. */
function reportTable({ checks }: DoctorReport): string {
  const wrong = checks.filter(({ level }) => level !== 'ok');
  const lines = wrong.flatMap(({ id, level, title, detail, fix }) => [
    `${level === 'fail' ? red('FAIL') : yellow('warn')}  ${title} (${id})`,
    `      ${detail}`,
    `      -> ${fix}`,
  ]);
  const failed = wrong.filter(({ level }) => level === 'fail').length;
  const count = `${checks.length} checks: ${checks.length - wrong.length} ok, ${wrong.length - failed} warnings, ${failed} failed.`;
  return [...lines, ...(lines.length === 0 ? [] : ['']), failed === 0 ? green(count) : red(count)].join('\n');
}

const usualReceipts = 100_000;

/**
 * Proves the ledger of the database that the environment names, with the receipts since the last hourly proof or all of
 * them; changes nothing, also beside a running server.
 */
export function doctorLedger(world: CliWorld, { all = false }: { all?: boolean }): Promise<Outcome> {
  return lookedAt(world, async (db, env) => {
    const proof = await proofOf(db, env, world.clock, { all });
    return { exitCode: proof.ok ? 0 : 1, text: proofTable(proof), json: proof };
  });
}

/** The proof of an open database, with the master key that the environment names. */
export async function proofOf(
  db: Database,
  key: MasterKeySource,
  clock: Clock,
  { all = false }: { all?: boolean } = {},
): Promise<LedgerProof> {
  const crypto = await openCrypto(db, await readMasterKey(key));
  const sign = (text: string) => crypto.hmac('receipt', text);
  const which = all ? ({ receipts: 'all', maxReceipts: Number.MAX_SAFE_INTEGER } as const) : { maxReceipts: usualReceipts };
  return proveLedger({ db, clock, sign, ...which });
}

/** A line for each check, and the verdict. */
export function proofTable({ ok, checks }: LedgerProof): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap((check) => [
    `${check.ok ? green('ok  ') : red('DIFF')}  ${check.name.padEnd(width)}  ${check.detail}`,
    ...(check.first_difference === undefined ? [] : [red(`      first difference: ${check.first_difference}`)]),
  ]);
  const wrong = checks.filter((check) => !check.ok).length;
  const verdict = ok
    ? green('The ledger adds up.')
    : red(`The ledger does not add up: ${wrong} of ${checks.length} checks failed.`);
  return [...lines, '', verdict].join('\n');
}

const green = (text: string): string => styleText('green', text);
const yellow = (text: string): string => styleText('yellow', text);
const red = (text: string): string => styleText('red', text);
