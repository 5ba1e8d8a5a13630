import type { Database } from '../storage/database.ts';
import { chainHash } from './chain.ts';

/** `missing`: a row is not there. `changed`: it is not as it was written. `cut`: the end of the chain is not there. */
export interface AuditFault {
  seq: number;
  reason: 'missing' | 'changed' | 'cut';
}

export interface AuditVerdict {
  ok: boolean;
  /** Rows that are sound, from the first on. */
  rows: number;
  /** The first one; what follows it proves nothing. */
  fault?: AuditFault;
}

const pageSize = 1000;

/** Walks the whole chain up to its end as of now. Changes nothing. Throws DatabaseError. */
export async function verifyAuditChain({ read }: Pick<Database, 'read'>): Promise<AuditVerdict> {
  const head = await read.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst();
  let hash = '';
  let seq = 0;
  while (head !== undefined && seq < head.seq) {
    const rows = await read.selectFrom('audit').selectAll().where('seq', '>', seq).orderBy('seq').limit(pageSize).execute();
    if (rows.length === 0) break;
    for (const row of rows) {
      if (row.seq !== seq + 1) return fault(seq, 'missing');
      hash = chainHash(hash, row);
      if (hash !== row.hash) return fault(seq, 'changed');
      seq = row.seq;
      if (seq === head.seq) break;
    }
  }
  return seq === head?.seq && hash === head.hash ? { ok: true, rows: seq } : fault(seq, 'cut');
}

function fault(soundRows: number, reason: AuditFault['reason']): AuditVerdict {
  return { ok: false, rows: soundRows, fault: { seq: soundRows + 1, reason } };
}
