import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../../test/postgres.ts';
import { createPool } from './pools.ts';
import { sessionOn } from './session.ts';

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
    // What no other commit takes along to disk stays in memory, as it may for a moment on every server.
    await ask("ALTER SYSTEM SET wal_writer_delay = '10s'");
    await ask('SELECT pg_reload_conf()');
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
  const crashes: [string, (pid: number) => Promise<void>][] = [
    ['the server', () => server.crash(0)],
    [
      'one of its processes',
      async (pid) => {
        process.kill(pid, 'SIGKILL');
        await served();
      },
    ],
  ];

  test.each(crashes)('%s: a transaction that took over its number does not speak for it', async (name, crash) => {
    const pool = createPool({ url, max: 2 });
    const bystander = new pg.Client({ connectionString: url });
    bystander.on('error', () => undefined);
    await bystander.connect();
    const { rows } = await bystander.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await ask('CHECKPOINT');
    const session = sessionOn(pool, limits);
    await session.begin();
    const [{ id } = { id: '' }] = (await session.execute('SELECT CAST(pg_current_xact_id() AS text) AS id', [])).rows;
    await session.execute('INSERT INTO kept (name) VALUES ($1)', [name]);
    await crash(rows[0]?.pid ?? 0);
    const numbers = await ask(...Array.from({ length: 50 }, () => 'SELECT CAST(pg_current_xact_id() AS text) AS id'));
    expect(Number(numbers[0]?.id)).toBeGreaterThan(Number(id));
    expect(await ask(`SELECT pg_xact_status('${id}') AS status`)).toEqual([{ status: 'committed' }]);
    await expect(session.commit()).rejects.toMatchObject({ kind: 'unknown' });
    expect(await ask(`SELECT name FROM kept WHERE name = '${name}'`)).toEqual([]);
    await Promise.all([pool.end(), bystander.end().catch(() => undefined)]);
  });
});
