import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { appendOnlyTables, expectedIndexes, supportedEncoding } from './expected.ts';
import { forgottenSlots, type Holder, longestHolder } from './postgres/holders.ts';
import { databaseFile } from './sqlite/place.ts';

/** A setting of the engine that a promise of ours rests on. */
export interface EngineSetting {
  readonly name: string;
  readonly value: string;
  readonly isSound: boolean;
}

/** What an engine says of itself. */
export interface EngineFacts {
  readonly version: string;
  readonly isSupported: boolean;
  /** Not a replica, nor set to be read only. */
  readonly takesWrites: boolean;
  /** Of its texts. */
  readonly encoding: string;
  /** Transactions that have waited for seconds for a standby to have them, too. */
  readonly waitingCommits: number;
  /** Keeps rows that nobody needs any more. */
  readonly holder: Holder | undefined;
  /** Replication slots that keep much of the journal for nobody. */
  readonly forgottenSlots: readonly string[];
  /** Its clock, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly missingIndexes: readonly string[];
  /** Tables that should be append-only and can be changed. */
  readonly openTables: readonly string[];
  /** How a change gets into its files without harm by a crash. */
  readonly journal: readonly EngineSetting[];
  /** Whether what is committed survives a power loss. */
  readonly commits: readonly EngineSetting[];
  /** Of all its clients; undefined where there is no such limit. */
  readonly connections: { readonly used: number; readonly most: number } | undefined;
  /** Copies of its journal for restoring to any moment; undefined = nobody asked for them. */
  readonly archive: { readonly isFailing: boolean } | undefined;
  /** Of what is not yet in the database's file; 0 where nobody has to look after it. */
  readonly journalBytes: number;
}

interface InspectOptions {
  readonly dataDir: string;
  /** What the embedded engine's writer is told. */
  readonly synchronous: string;
}

const oldestServer = 150_000;

/** Asks the engine about itself; reads no table. Throws DatabaseError. */
export function inspectEngine(db: Pick<Database, 'engine' | 'read'>, options: InspectOptions): Promise<EngineFacts> {
  return db.engine === 'sqlite' ? inspectSqlite(db, options) : inspectPostgres(db);
}

async function inspectSqlite(db: Pick<Database, 'read'>, { dataDir, synchronous }: InspectOptions): Promise<EngineFacts> {
  const own = await one<{ version: string; now: number }>(
    db,
    sql`SELECT sqlite_version() AS version, unixepoch('now', 'subsec') AS now`,
  );
  const indexes = await names(db, sql`SELECT name FROM sqlite_master WHERE type = 'index'`);
  const triggers = await names(db, sql`SELECT name FROM sqlite_master WHERE type = 'trigger'`);
  const file = databaseFile(dataDir);
  const isWal = writesAhead(file);
  return {
    version: `SQLite ${own.version}`,
    isSupported: true,
    takesWrites: true,
    encoding: supportedEncoding,
    waitingCommits: 0,
    holder: undefined,
    forgottenSlots: [],
    nowMs: own.now * 1000,
    missingIndexes: expectedIndexes.filter((name) => !indexes.has(name)),
    openTables: appendOnlyTables.filter((name) => !['update', 'delete'].every((what) => triggers.has(`${name}_refuses_${what}`))),
    journal: [{ name: 'journal_mode', value: isWal ? 'wal' : 'delete', isSound: isWal }],
    commits: [{ name: 'SQLITE_SYNCHRONOUS', value: synchronous, isSound: synchronous === 'FULL' }],
    connections: undefined,
    archive: undefined,
    journalBytes: sizeOf(`${file}-wal`),
  };
}

/** As the file's own head says (bytes 18 and 19): asking a connection could change it. */
function writesAhead(file: string): boolean {
  const head = Buffer.alloc(2);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, head, 0, 2, 18);
  } finally {
    closeSync(handle);
  }
  return head[0] === 2 && head[1] === 2;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function inspectPostgres(db: Pick<Database, 'read'>): Promise<EngineFacts> {
  const own = await one<{
    version: string;
    number: number;
    reads: string;
    encoding: string;
    waiting: number;
    now: number;
    used: number;
    most: number;
  }>(
    db,
    sql`SELECT current_setting('server_version') AS version, CAST(current_setting('server_version_num') AS int) AS number,
          current_setting('transaction_read_only') AS reads, current_setting('server_encoding') AS encoding,
          (SELECT count(*) FROM pg_stat_activity
           WHERE wait_event = 'SyncRep' AND clock_timestamp() - state_change > interval '2 seconds') AS waiting, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS double precision) AS now,
          (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
          CAST(current_setting('max_connections') AS int) AS most`,
  );
  const indexes = await names(
    db,
    sql`SELECT CAST(indexname AS text) AS name FROM pg_indexes WHERE schemaname = current_schema()`,
  );
  const triggers = await names(
    db,
    sql`SELECT CAST(tgname AS text) AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE NOT tgisinternal AND tgenabled <> 'D' AND relnamespace = CAST(current_schema() AS regnamespace)`,
  );
  const settings = await one<Record<'fsync' | 'full_page_writes' | 'synchronous_commit' | 'archive_mode', string>>(
    db,
    sql`SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
          current_setting('synchronous_commit') AS synchronous_commit, current_setting('archive_mode') AS archive_mode`,
  );
  const archiver = await one<{ failing: number }>(
    db,
    sql`SELECT CASE WHEN last_failed_time > coalesce(last_archived_time, '-infinity') THEN 1 ELSE 0 END AS failing FROM pg_stat_archiver`,
  );
  const isOn = (name: 'fsync' | 'full_page_writes') => ({ name, value: settings[name], isSound: settings[name] === 'on' });
  return {
    version: `PostgreSQL ${own.version}`,
    isSupported: own.number >= oldestServer,
    takesWrites: own.reads === 'off',
    encoding: own.encoding,
    waitingCommits: Number(own.waiting),
    holder: await longestHolder(db.read),
    forgottenSlots: await forgottenSlots(db.read),
    nowMs: Number(own.now),
    missingIndexes: expectedIndexes.filter((name) => !indexes.has(name)),
    openTables: appendOnlyTables.filter((name) => !triggers.has(`${name}_refuses_change`)),
    journal: [isOn('fsync'), isOn('full_page_writes')],
    commits: [{ name: 'synchronous_commit', value: settings.synchronous_commit, isSound: settings.synchronous_commit !== 'off' }],
    connections: { used: Number(own.used), most: Number(own.most) },
    archive: settings.archive_mode === 'off' ? undefined : { isFailing: archiver.failing === 1 },
    journalBytes: 0,
  };
}

async function one<Row>({ read }: Pick<Database, 'read'>, query: RawBuilder<unknown>): Promise<Row> {
  const { rows } = await query.execute(read);
  return rows[0] as Row;
}

async function names({ read }: Pick<Database, 'read'>, query: RawBuilder<unknown>): Promise<ReadonlySet<string>> {
  const { rows } = await query.execute(read);
  return new Set((rows as { name: string }[]).map(({ name }) => name));
}
