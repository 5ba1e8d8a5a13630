import { styleText } from 'node:util';
import type { LedgerProof } from '@tollgate/contract';
import { proveLedger } from '../billing/index.ts';
import { readEnv } from '../env.ts';
import { openStorageForReading } from '../main-storage.ts';
import type { CliWorld, Outcome } from './outcome.ts';

/** Proves the ledger of the database that the environment names; changes nothing, also beside a running server. */
export async function doctorLedger({ env, clock }: CliWorld): Promise<Outcome> {
  const db = await openStorageForReading(readEnv(env), clock);
  try {
    const proof = await proveLedger({ db, clock });
    return { exitCode: proof.ok ? 0 : 1, text: proofTable(proof), json: proof };
  } finally {
    await db.close();
  }
}

function proofTable({ ok, checks }: LedgerProof): string {
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
const red = (text: string): string => styleText('red', text);
