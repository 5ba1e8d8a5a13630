import pg from 'pg';
import { DatabaseError, postgresKind } from '../errors.ts';
import { typeParsers } from './types.ts';

const connectTimeoutMs = 5000;
/** After a fail-over a connection may lead to a server that nobody writes to any more, without ever failing. */
const longestLifeSeconds = 120;
/** The client's own limit; the server's limits below are shorter, so that the server ends things first. */
const clientTimeoutMs = 10_000;

export interface PoolConfig {
  url: string;
  max: number;
  /** Server-side limit for reading connections; writers set theirs in every transaction. */
  statementTimeoutMs?: number;
}

/** A pool whose idle and busy connections may fail without an unhandled error. */
export function createPool(config: PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: addressForDriver(config.url),
    max: config.max,
    types: typeParsers,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: config.statementTimeoutMs === undefined ? clientTimeoutMs : config.statementTimeoutMs + 2000,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: longestLifeSeconds,
    keepAlive: true,
    ...(config.statementTimeoutMs === undefined ? {} : { onConnect: setUpReading(config.statementTimeoutMs) }),
  });
  // The next use of a lost connection reports it; without a listener the process would end.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Every mode that asks for TLS looks at the certificate, as it does with the driver of today: that warns at each start that its
 * next version will not, unless the mode says it in full. "system" is what the driver does without a file.
 */
export function addressForDriver(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url
    .replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
    .replace(/([?&])sslrootcert=system(&|$)/, '$1');
}

/**
 * By SET and not as start-up parameters, which connection poolers refuse. Without compiling: PostgreSQL decides for it by
 * what it expects to read, and for a year's dashboard of many parts that takes longer than the reading.
 */
function setUpReading(timeoutMs: number): (client: pg.ClientBase) => Promise<void> {
  return async (client) => {
    await client.query(`SET statement_timeout = ${timeoutMs}; SET jit = off`);
  };
}

/** Takes a connection. Throws DatabaseError of kind `unavailable`. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    const known = asDatabaseError(error);
    throw known.kind === 'other' ? new DatabaseError('unavailable', known.code, known.message, error) : known;
  }
}

/** For who opens the database; without user and password. */
export function unreached(address: string, error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const text = `PostgreSQL${placeOf(address)}: ${error.message}. ${adviceFor(error)}`;
  return new DatabaseError(error.kind, error.code, text, error.cause);
}

/** Of PostgreSQL, of PgBouncer and of Supabase's pooler; in session pooling who gets none is simply not answered. */
const noneLeft = /too many c|connection slots|no more connections|query_wait_timeout|MaxClients|^Query read timeout/;
const certificateFault = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/;

function adviceFor({ code, message }: DatabaseError): string {
  if (certificateFault.test(code))
    return 'Its certificate is of no authority that is known here, of another name or over: end the address with ?sslmode=verify-full&sslrootcert=FILE, the CA that its operator names. With ?sslmode=no-verify nobody looks at it';
  if (noneLeft.test(message))
    return 'No connection seems to be left: each process takes 13, of a pooler in session mode as well (docs/many-nodes.md)';
  if (message.includes('statement pooling')) return 'Charges are transactions: set pool_mode to transaction there';
  if (message.endsWith('no encryption')) return 'It wants TLS: end the address with ?sslmode=verify-full';
  if (message.includes('does not support SSL')) return 'Take sslmode from the address, or set up TLS there';
  return 'See that it runs, lets this machine in and has this database, or correct the address';
}

function placeOf(address: string): string {
  const url = URL.parse(address);
  return url === null ? '' : ` at ${url.host}${url.pathname}`;
}

/** Sorts an error of the driver; one without a SQLSTATE is a lost or silent connection. */
export function asDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: readonly { message?: unknown }[] };
  // A name with several addresses, none of which answers: the fault that holds those of all has no text.
  const text = String(message || errors?.[0]?.message || code);
  if (typeof code === 'string' && code !== '') return new DatabaseError(postgresKind(code), code, text, error);
  const lost = /timeout|terminated|Connection|not queryable|closed/i.test(text);
  return new DatabaseError(lost ? 'unavailable' : 'other', '', text, error);
}
