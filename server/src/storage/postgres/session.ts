import type pg from 'pg';
import { DatabaseError } from '../errors.ts';
import type { Session } from '../session.ts';
import { asDatabaseError, connect, execute } from './pools.ts';
import { translate } from './translate.ts';

/** Server-side limits of one transaction, shorter than the client's own. */
export interface Limits {
  lockTimeoutMs: number;
  statementTimeoutMs: number;
  idleTimeoutMs: number;
}

const outcomeAttempts = 20;
const outcomePauseMs = 250;

/** A session on a connection of `pool`. SET LOCAL keeps it fit for transaction poolers. */
export function sessionOn(pool: pg.Pool, limits: Limits): Session {
  let client: pg.PoolClient | undefined;
  let transactionId = '';
  const begin = [
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    `SET LOCAL lock_timeout = ${limits.lockTimeoutMs}`,
    `SET LOCAL statement_timeout = ${limits.statementTimeoutMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${limits.idleTimeoutMs}`,
    'SELECT CAST(pg_current_xact_id() AS text) AS id',
  ].join('; ');
  const release = (broken: boolean): void => {
    client?.release(broken);
    client = undefined;
  };
  const open = (): pg.PoolClient => {
    if (!client) throw new DatabaseError('unavailable', '', 'The connection is gone');
    return client;
  };
  return {
    translate,
    async begin() {
      client = await connect(pool);
      try {
        const answers = (await client.query(begin)) as unknown as { rows: { id: string }[] }[];
        transactionId = answers.at(-1)?.rows[0]?.id ?? '';
      } catch (error) {
        release(true);
        throw asDatabaseError(error);
      }
    },
    execute: async (sql, parameters) => execute(open(), sql, parameters, limits.statementTimeoutMs + 2000),
    async commit() {
      let tag: string;
      try {
        tag = (await open().query('COMMIT')).command;
      } catch (error) {
        release(true);
        const known = asDatabaseError(error);
        if (known.kind !== 'unavailable' && known.kind !== 'busy') throw known;
        return learnOutcome(pool, transactionId, known);
      }
      release(false);
      // COMMIT of a failed transaction answers ROLLBACK without an error.
      if (tag !== 'COMMIT') throw new DatabaseError('other', '', 'The transaction was rolled back');
    },
    async rollback() {
      if (!client) return;
      try {
        await client.query('ROLLBACK');
        release(false);
      } catch {
        release(true);
      }
    },
  };
}

/**
 * The connection was lost during COMMIT: asks PostgreSQL what became of the transaction. Returns when it was
 * committed, throws kind `unavailable` (repeatable) when it was not, `unknown` when nobody can tell.
 */
async function learnOutcome(pool: pg.Pool, transactionId: string, cause: DatabaseError): Promise<void> {
  for (let attempt = 0; attempt < outcomeAttempts; attempt += 1) {
    const status = await statusOf(pool, transactionId);
    if (status === 'committed') return;
    if (status === 'aborted') throw new DatabaseError('unavailable', cause.code, 'Lost before COMMIT', cause);
    await new Promise((resolve) => setTimeout(resolve, outcomePauseMs));
  }
  throw new DatabaseError('unknown', cause.code, 'The outcome of COMMIT is unknown', cause);
}

async function statusOf(pool: pg.Pool, transactionId: string): Promise<string> {
  let client: pg.PoolClient | undefined;
  try {
    client = await connect(pool);
    const { rows } = await execute(client, 'SELECT pg_xact_status(CAST($1 AS xid8)) AS status', [transactionId]);
    client.release();
    return String(rows[0]?.status ?? 'unknown');
  } catch {
    client?.release(true);
    return 'unreachable';
  }
}
