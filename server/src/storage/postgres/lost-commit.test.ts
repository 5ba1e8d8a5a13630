import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../../test/postgres.ts';
import { createPool } from './pools.ts';
import { sessionOn } from './session.ts';
import { createTimelines } from './timelines.ts';

const bin = findPostgres();
const limits = { lockTimeoutMs: 1000, statementTimeoutMs: 5000, idleTimeoutMs: 30_000 };
const patienceMs = 20_000;

describe.skipIf(bin === undefined)('a COMMIT whose answer is lost in a crash', () => {
  let server: TestPostgres;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres(bin ?? '', 20);
    url = `${server.url}/postgres`;
    await ask('CREATE TABLE kept (name text)');
    // Nothing takes to disk what a transaction has written before its COMMIT: it may stay in memory for a moment on every server.
    const quiet = { wal_writer_delay: '10s', autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' };
    for (const [name, value] of Object.entries(quiet)) await ask(`ALTER SYSTEM SET ${name} = '${value}'`);
    await server.crash(0);
  });
  afterAll(() => server.stop());

  const ask = async (...statements: string[]): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const sql of statements) ({ rows } = await client.query(sql));
      return rows;
    } finally {
      await client.end();
    }
  };
  const served = async (): Promise<void> => {
    for (const startMs = performance.now(); performance.now() - startMs < patienceMs; ) {
      if (await ask('SELECT 1').catch(() => undefined)) return;
    }
    throw new Error('PostgreSQL did not come back');
  };
  /** The server ends all connections when one of its processes is killed, and lets nobody in until it has recovered. */
  const crashProcess = async (): Promise<void> => {
    const [victim, witness] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    for (const client of [victim, witness]) {
      client.on('error', () => undefined);
      await client.connect();
    }
    const ended = new Promise((resolve) => witness.once('end', resolve));
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await ended;
    await served();
  };
  const crashes: [string, () => Promise<void>][] = [
    ['the server', () => server.crash(0)],
    ['one of its processes', crashProcess],
  ];

  test.each(crashes)('%s: a transaction that took over its number does not speak for it', async (name, crash) => {
    const pool = createPool({ url, max: 2 });
    await ask('CHECKPOINT');
    const session = sessionOn(pool, limits, createTimelines());
    await session.begin();
    const [{ id } = { id: '' }] = (await session.execute('SELECT CAST(pg_current_xact_id() AS text) AS id', [])).rows;
    await session.execute('INSERT INTO kept (name) VALUES ($1)', [name]);
    await crash();
    const numbers = await ask(...Array.from({ length: 50 }, () => 'SELECT CAST(pg_current_xact_id() AS text) AS id'));
    expect(Number(numbers[0]?.id)).toBeGreaterThan(Number(id));
    expect(await ask(`SELECT pg_xact_status('${id}') AS status`)).toEqual([{ status: 'committed' }]);
    await expect(session.commit()).rejects.toMatchObject({ kind: 'unknown' });
    expect(await ask(`SELECT name FROM kept WHERE name = '${name}'`)).toEqual([]);
    await pool.end();
  });
});
