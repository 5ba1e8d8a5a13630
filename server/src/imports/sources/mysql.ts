import mysql from 'mysql2/promise';
import type { Row, Source } from '../source.ts';
import { connectTimeoutMs, serverSource, statementTimeoutMs, unreachable } from './server.ts';

/** Reads a MySQL or MariaDB database as it is at this moment. */
export async function openMysqlSource(url: string): Promise<Source> {
  let connection: mysql.Connection | undefined;
  try {
    connection = await mysql.createConnection({
      uri: url,
      connectTimeout: connectTimeoutMs,
      charset: 'utf8mb4',
      dateStrings: true,
      // Amounts beyond what a double holds must be seen, not rounded.
      supportBigNumbers: true,
      bigNumberStrings: true,
    });
    const open = connection;
    // Told by the query that waits for it.
    open.on('error', () => undefined);
    await open.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await open.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    return await serverSource({
      quote: '`',
      schema: 'DATABASE()',
      query: async (sql, values) =>
        (await open.query<mysql.RowDataPacket[]>({ sql, timeout: statementTimeoutMs }, [...values]))[0] as Row[],
      end: () => open.end(),
    });
  } catch (error) {
    connection?.destroy();
    throw unreachable(url, error);
  }
}
