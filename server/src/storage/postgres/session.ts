import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { StatementResult } from '../database.ts';
import type { EngineStatement } from '../drive.ts';
import { DatabaseError } from '../errors.ts';
import type { Session } from '../session.ts';
import { serverLife } from './life.ts';
import { execute, executeAll } from './pipeline.ts';
import { asDatabaseError, connect } from './pools.ts';
import { render } from './render.ts';
import type { Timelines } from './timelines.ts';

/** Server-side limits of one transaction, shorter than the client's own. */
export interface Limits {
  lockTimeoutMs: number;
  statementTimeoutMs: number;
  idleTimeoutMs: number;
}

const nothing: StatementResult = { rows: [], changes: 0 };
const outcomeAttempts = 20;
const outcomePauseMs = 250;
/** The server only reads, as a former primary does after a fail-over: whoever connects anew may find the one that writes. */
const onlyReads = '25006';
/** The number was never given out by this server, or so it thinks after a crash. */
const inTheFuture = '22023';

/** A transaction as its server knows it. After a crash the number of one that was not yet on disk is given out again. */
interface TransactionName {
  readonly id: string;
  readonly life: string;
}

export interface PostgresSession extends Session {
  /** Instead of `begin`: with the first statements of the transaction, whose results these are. */
  beginWith(statements: readonly EngineStatement[]): Promise<StatementResult[]>;
}

/** A session on a connection of `pool`. Limits of the transaction alone keep it fit for transaction poolers. */
export function sessionOn(pool: pg.Pool, limits: Limits, timelines: Timelines): PostgresSession {
  let client: pg.PoolClient | undefined;
  let name: TransactionName = { id: '', life: '' };
  let leadsAstray = false;
  const timeoutMs = limits.statementTimeoutMs + 2000;
  const locally = (name: string, ms: number): string => `set_config('${name}', '${ms}', true)`;
  const prelude = [
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    `SELECT ${[
      locally('lock_timeout', limits.lockTimeoutMs),
      locally('statement_timeout', limits.statementTimeoutMs),
      locally('idle_in_transaction_session_timeout', limits.idleTimeoutMs),
    ].join(', ')}, CAST(pg_current_xact_id() AS text) AS id, ${serverLife} AS life`,
  ].map((sql): EngineStatement => ({ sql, parameters: [] }));
  const release = (broken: boolean): void => {
    client?.release(broken || leadsAstray);
    client = undefined;
  };
  const open = (): pg.PoolClient => {
    if (!client) throw new DatabaseError('unavailable', '', 'The connection is gone');
    return client;
  };
  const send = async (statements: readonly EngineStatement[]): Promise<StatementResult[]> => {
    try {
      return await executeAll(open(), statements, timeoutMs);
    } catch (error) {
      leadsAstray ||= asDatabaseError(error).code === onlyReads;
      throw error;
    }
  };
  const run = async (sql: string): Promise<StatementResult> => (await send([{ sql, parameters: [] }]))[0] ?? nothing;
  const beginWith = async (statements: readonly EngineStatement[]): Promise<StatementResult[]> => {
    client = await connect(pool);
    const [, begun, ...results] = await send([...prelude, ...statements]);
    name = { id: String(begun?.rows[0]?.id ?? ''), life: String(begun?.rows[0]?.life ?? '') };
    try {
      await timelines.check(name.life, run);
    } catch (error) {
      leadsAstray = true;
      throw error;
    }
    return results;
  };
  return {
    render,
    async begin() {
      try {
        await beginWith([]);
      } catch (error) {
        release(true);
        throw error;
      }
    },
    beginWith,
    async execute(sql, parameters) {
      const [result = nothing] = await send([{ sql, parameters }]);
      return result;
    },
    executeAll: send,
    async commit() {
      let tag: string;
      try {
        tag = (await open().query('COMMIT')).command;
      } catch (error) {
        release(true);
        const known = asDatabaseError(error);
        if (known.kind !== 'unavailable' && known.kind !== 'busy') throw known;
        return learnOutcome(pool, name, known);
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
async function learnOutcome(pool: pg.Pool, { id, life }: TransactionName, cause: DatabaseError): Promise<void> {
  for (let attempt = 0; attempt < outcomeAttempts; attempt += 1) {
    const now = await statusOf(pool, id);
    // Who has this number now may be somebody else. What is on disk keeps its own, so anything but this is certain.
    if (now.status === 'committed' && now.life !== life) break;
    if (now.status === 'committed') return;
    if (now.status === 'aborted') throw new DatabaseError('unavailable', cause.code, 'Lost before COMMIT', cause);
    await delay(outcomePauseMs);
  }
  throw new DatabaseError('unknown', cause.code, 'The outcome of COMMIT is unknown', cause);
}

/** A standby that may take over does not know yet what it was sent and has not replayed. */
const statusSql = `SELECT CASE WHEN pg_is_in_recovery() THEN 'undecided' ELSE pg_xact_status(CAST($1 AS xid8)) END AS status,
  ${serverLife} AS life`;

async function statusOf(pool: pg.Pool, id: string): Promise<{ status: string; life: string }> {
  let client: pg.PoolClient | undefined;
  try {
    client = await connect(pool);
    const { rows } = await execute(client, statusSql, [id]);
    client.release();
    return { status: String(rows[0]?.status ?? 'unknown'), life: String(rows[0]?.life) };
  } catch (error) {
    client?.release(true);
    return { status: asDatabaseError(error).code === inTheFuture ? 'aborted' : 'unreachable', life: '' };
  }
}
