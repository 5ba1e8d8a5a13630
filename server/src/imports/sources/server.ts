import { ImportFault } from '../faults.ts';
import type { Row, Source } from '../source.ts';

export const connectTimeoutMs = 10_000;
/** Counting the hundred million rows of a log takes minutes. */
export const statementTimeoutMs = 1_200_000;

/** One connection inside of a transaction that only reads, so that all pages tell of one moment. */
export interface Connection {
  /** With `?` for values. */
  query(sql: string, values: readonly (string | number | bigint)[]): Promise<readonly Row[]>;
  end(): Promise<void>;
  /** How names are quoted: `group` and `key` are reserved words. */
  readonly quote: '"' | '`';
  /** The SQL that names the schema in use. */
  readonly schema: string;
}

/** A server's database as a source. */
export async function serverSource(connection: Connection): Promise<Source> {
  const name = (text: string): string => `${connection.quote}${text}${connection.quote}`;
  const columns = await connection.query(
    `SELECT table_name AS owner, column_name AS name FROM information_schema.columns WHERE table_schema = ${connection.schema}`,
    [],
  );
  const tables = new Map<string, Set<string>>();
  for (const row of columns) {
    const owner = String(row.owner);
    tables.set(owner, (tables.get(owner) ?? new Set()).add(String(row.name)));
  }
  return {
    tables,
    async page(table, { key, after, limit }) {
      const sql = `SELECT * FROM ${name(table)} WHERE ${name(key)} > ? ORDER BY ${name(key)} LIMIT ${limit}`;
      return [...(await connection.query(sql, [after]))];
    },
    async count(table) {
      const [row] = await connection.query(`SELECT COUNT(*) AS total FROM ${name(table)}`, []);
      return Number(row?.total ?? 0);
    },
    async greatest(table, column) {
      const [row] = await connection.query(`SELECT MAX(${name(column)}) AS greatest FROM ${name(table)}`, []);
      return Number(row?.greatest ?? 0);
    },
    close: () => connection.end(),
  };
}

/** Tells why without the address: it may hold a password. */
export function unreachable(url: string, error: unknown): Error {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const { password } = URL.parse(url) ?? { password: '' };
  const reason = String(message || code || error);
  const secrets = [password, decoded(password)].filter((secret) => secret !== '');
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reason);
  return new ImportFault('unreadable_server', { reason: shown });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
