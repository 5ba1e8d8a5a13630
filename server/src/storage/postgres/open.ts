import type pg from 'pg';
import type { Database, StatementResult, WorkRegistry } from '../database.ts';
import { type Execute, kyselyOver } from '../dialect.ts';
import { drive, type EngineStatement } from '../drive.ts';
import { withRetry } from '../retry.ts';
import { defaultTransactionMs, inTransaction } from '../session.ts';
import { execute } from './pipeline.ts';
import { connect, createPool, unreached } from './pools.ts';
import { render } from './render.ts';
import { type PostgresSession, sessionOn } from './session.ts';
import { createTimelines } from './timelines.ts';

export interface PostgresConfig {
  url: string;
  worksModule: URL;
}

const readTimeoutMs = 30_000;
const limits = { lockTimeoutMs: 1500, statementTimeoutMs: 8000, idleTimeoutMs: 4000 };

/** PostgreSQL with four pools: ledger works, interactive transactions, reads, long reads. */
export async function openPostgres(config: PostgresConfig): Promise<Database> {
  const { works }: { works: WorkRegistry } = await import(config.worksModule.href);
  const workPool = createPool({ url: config.url, max: 3 });
  const transactionPool = createPool({ url: config.url, max: 4 });
  const readPool = createPool({ url: config.url, max: 4, statementTimeoutMs: readTimeoutMs });
  const analysisPool = createPool({ url: config.url, max: 2, statementTimeoutMs: readTimeoutMs });
  const timelines = createTimelines();
  const pools = [workPool, transactionPool, readPool, analysisPool];
  const readFrom =
    (pool: pg.Pool): Execute =>
    (sql, parameters) =>
      withRetry(() => readOnce(pool, sql, parameters));
  await beginOnce(workPool).catch((error: unknown) => Promise.reject(unreached(config.url, error)));
  return {
    engine: 'postgres',
    refusal: timelines.refusal,
    read: kyselyOver('postgres', readFrom(readPool), { readOnly: true }),
    analyse: kyselyOver('postgres', readFrom(analysisPool), { readOnly: true }),
    transaction: (body, options = {}) => {
      const timeoutMs = options.timeoutMs ?? defaultTransactionMs;
      const statementTimeoutMs = Math.max(limits.statementTimeoutMs, timeoutMs - 2000);
      return withRetry(() =>
        inTransaction('postgres', sessionOn(transactionPool, { ...limits, statementTimeoutMs }, timelines), body, timeoutMs),
      );
    },
    run: <T>(name: string, input: unknown) => {
      const work = works[name];
      if (!work) return Promise.reject(new Error(`Unknown work ${name}`));
      return withRetry(() => runWork(sessionOn(workPool, limits, timelines), () => work(input))) as Promise<T>;
    },
    examine: async <T>(name: string, input: unknown) => {
      const work = works[name];
      if (!work) throw new Error(`Unknown work ${name}`);
      return withRetry(() => drive(work(input), render, (statements) => readInOrder(analysisPool, statements))) as Promise<T>;
    },
    async close() {
      await Promise.all(pools.filter((pool) => !pool.ending).map((pool) => pool.end()));
    },
  };
}

/** A pooler lets in while the server behind it is away, and one may take statements and no transactions. */
function beginOnce(pool: pg.Pool): Promise<unknown> {
  return withClient(pool, async (client) => {
    await execute(client, 'BEGIN', []);
    await execute(client, 'ROLLBACK', []);
  });
}

function readOnce(pool: pg.Pool, sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  return withClient(pool, (client) => execute(client, sql, parameters));
}

async function withClient<T>(pool: pg.Pool, body: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  let broken = true;
  try {
    const result = await body(client);
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}

const reading = /^\s*(SELECT|WITH)\b/;

async function readInOrder(pool: pg.Pool, statements: readonly EngineStatement[]): Promise<StatementResult[]> {
  const results: StatementResult[] = [];
  for (const { sql } of statements) if (!reading.test(sql)) throw new Error('A work that only reads cannot write');
  for (const { sql, parameters } of statements) results.push(await readOnce(pool, sql, parameters));
  return results;
}

async function runWork<T>(session: PostgresSession, start: () => ReturnType<WorkRegistry[string]>): Promise<T> {
  let hasBegun = false;
  try {
    const result = await drive(start(), session.render, (statements) => {
      if (hasBegun) return session.executeAll(statements);
      hasBegun = true;
      return session.beginWith(statements);
    });
    if (hasBegun) await session.commit();
    return result as T;
  } catch (error) {
    await session.rollback();
    throw error;
  }
}
