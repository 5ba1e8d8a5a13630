import { verifyAuditChain } from '../audit/index.ts';
import { lookedAt } from './database.ts';
import type { CliWorld, Outcome } from './outcome.ts';

const meanings = {
  missing: 'is missing',
  changed: 'is not as it was written',
  cut: 'is where the end was cut off',
} as const;

/** Walks the audit log's chain of hashes; changes nothing, also beside a running server. */
export function verifyAudit(world: CliWorld): Promise<Outcome> {
  return lookedAt(world, async (db) => {
    const verdict = await verifyAuditChain(db);
    const { rows, fault } = verdict;
    if (fault === undefined) return { exitCode: 0, text: `${rows} rows of the audit log are sound.`, json: verdict };
    const text = `The audit log is sound for ${rows} rows; row ${fault.seq} ${meanings[fault.reason]}.`;
    return { exitCode: 1, text, json: verdict };
  });
}
