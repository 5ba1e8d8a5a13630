import path from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Gateway } from './gateway.ts';

/** Looks into the books from outside the product, as an auditor would. */
export interface Books {
  openHolds(): Promise<number>;
  /** Calls' holds whose lease ran out so long ago. */
  overdueHolds(seconds: number): Promise<number>;
  /** Request ids with a charge, and how many log rows each has. */
  charges(): Promise<Map<string, { transfers: number; logRows: number }>>;
  /** The charged rows of a call, or of the turns of a session, oldest first. */
  rowsOf(requestId: string): Promise<readonly BookedRow[]>;
  close(): Promise<void>;
}

export interface BookedRow {
  readonly model: string;
  readonly quota: number;
  readonly prompt: number;
  readonly completion: number;
  readonly other: Readonly<Record<string, unknown>>;
}

/** Opens the gateway's own database read-only, whatever its engine. */
export async function openBooks(gateway: Pick<Gateway, 'env' | 'dataDir'>): Promise<Books> {
  const { DATABASE_URL = '' } = gateway.env;
  return booksOver(DATABASE_URL === '' ? sqliteQuery(gateway.dataDir) : await postgresQuery(DATABASE_URL));
}

interface Query {
  (sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

function booksOver(query: Query): Books {
  const countBy = async (sql: string) => new Map((await query(sql)).map((row) => [String(row.id), Number(row.n)]));
  return {
    openHolds: async () => Number((await query('SELECT COUNT(*) AS n FROM hold'))[0]?.n),
    async overdueHolds(seconds) {
      const before = Math.floor(Date.now() / 1000) - seconds;
      return Number((await query(`SELECT COUNT(*) AS n FROM hold WHERE keeper = '' AND lease_until < ${before}`))[0]?.n);
    },
    async charges() {
      const transfers = await countBy("SELECT ref AS id, COUNT(*) AS n FROM transfer WHERE kind = 'charge' GROUP BY ref");
      const rows = await countBy('SELECT request_id AS id, COUNT(*) AS n FROM log WHERE type = 2 GROUP BY request_id');
      const ids = new Set([...transfers.keys(), ...rows.keys()]);
      return new Map([...ids].map((id) => [id, { transfers: transfers.get(id) ?? 0, logRows: rows.get(id) ?? 0 }]));
    },
    async rowsOf(requestId) {
      if (!/^[\w-]+$/.test(requestId)) return [];
      const wanted = `type = 2 AND (request_id = '${requestId}' OR request_id LIKE '${requestId}~_%' ESCAPE '~')`;
      const rows = await query(
        `SELECT model_name, quota, prompt_tokens, completion_tokens, other FROM log WHERE ${wanted} ORDER BY id`,
      );
      return rows.map((row) => ({
        model: String(row.model_name),
        quota: Number(row.quota),
        prompt: Number(row.prompt_tokens),
        completion: Number(row.completion_tokens),
        other: JSON.parse(String(row.other)) as BookedRow['other'],
      }));
    },
    close: () => query.close(),
  };
}

function sqliteQuery(dataDir: string): Query {
  const db = new Sqlite(path.join(dataDir, 'tollgate.db'), { readonly: true });
  const query = async (sql: string) => db.prepare(sql).all() as Record<string, unknown>[];
  return Object.assign(query, { close: async () => void db.close() });
}

async function postgresQuery(connectionString: string): Promise<Query> {
  const client = new pg.Client({ connectionString });
  // A test that fails leaves it open when its database goes.
  client.on('error', () => undefined);
  await client.connect();
  const query = async (sql: string) => (await client.query(sql)).rows as Record<string, unknown>[];
  return Object.assign(query, { close: () => client.end() });
}
