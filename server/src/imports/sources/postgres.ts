import pg from 'pg';
import type { Row, Source } from '../source.ts';
import { connectTimeoutMs, serverSource, statementTimeoutMs, unreachable } from './server.ts';

/** Reads a PostgreSQL database as it is at this moment. */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    idle_in_transaction_session_timeout: 0,
    keepAlive: true,
    application_name: 'tollgate import',
  });
  // Told by the query that waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await serverSource({
      quote: '"',
      schema: 'current_schema()',
      query: async (sql, values) => (await client.query<Row>(sql.replace('?', '$1'), [...values])).rows,
      end: () => client.end(),
    });
  } catch (error) {
    await client.end().catch(() => undefined);
    throw unreachable(url, error);
  }
}
