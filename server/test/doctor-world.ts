import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoctorCheck, DoctorLevel } from '@tollgate/contract';
import { type RawBuilder, sql } from 'kysely';
import { createProofWatch } from '../src/billing/index.ts';
import { type Gathered, gather, judge } from '../src/doctor/doctor.ts';
import type { Facts } from '../src/doctor/facts.ts';
import { readStoredOptions, type World } from '../src/doctor/index.ts';
import { type Env, readEnv } from '../src/env.ts';
import { bootstrapRoot, createPasswords } from '../src/identity/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createCrypto } from '../src/platform/crypto.ts';
import { cataloguePrice } from '../src/providers/index.ts';
import { keyColumns } from '../src/routing/channel-key.ts';
import { backupNotePath, writeBackupNote } from '../src/storage/backup-note.ts';
import type { Database } from '../src/storage/database.ts';
import type { Schema } from '../src/storage/schema.ts';
import { channelRow } from './channel-rows.ts';
import type { Place } from './engines.ts';

export const crypto = createCrypto(Buffer.alloc(32, 7));
export const seconds = (): number => Math.floor(Date.now() / 1000);
const gibibyte = 2 ** 30;

export type Undo = () => Promise<unknown> | unknown;

/** An installation in which nothing is wrong, and what a case may do to it. */
export interface DoctorWorld {
  readonly db: Database;
  readonly dataDir: string;
  /** Overrides of the environment, of the clock and of what only the machine decides. */
  env: Partial<Env>;
  skewMs: number;
  facts: (gathered: Gathered) => Gathered;
  pingRedis: World['pingRedis'];
  askStream: World['askStream'];
  look(language?: 'zh' | 'en'): Promise<readonly DoctorCheck[]>;
  levels(): Promise<ReadonlyMap<string, DoctorLevel>>;
  insert<T extends keyof Schema & string>(table: T, row: Record<string, unknown>): Promise<Undo>;
  set<T extends keyof Schema & string>(table: T, values: Record<string, unknown>, where: Record<string, unknown>): Promise<Undo>;
  /** A statement, and the one that takes it back. */
  run(statement: string, back: string): Promise<Undo>;
  option(key: string, value: string): Promise<Undo>;
}

/** Database with a root who has all that is advised, two channels that serve, and a proof; a folder as a start makes it. */
export async function createDoctorWorld(db: Database, place: Place): Promise<{ world: DoctorWorld; remove(): void }> {
  const dataDir = place.dataDir === '' ? mkdtempSync(join(tmpdir(), 'tollgate-doctor-')) : place.dataDir;
  chmodSync(dataDir, 0o700);
  writeFileSync(join(dataDir, 'secret.key'), `${'07'.repeat(32)}\n`, { mode: 0o600 });
  await writeBackupNote(backupNotePath(dataDir), { madeMs: Date.now(), bytes: 1 });
  await furnish(db);
  const key = place.url === undefined ? {} : { DATABASE_URL: place.url, SECRET_KEY_FILE: join(dataDir, 'secret.key') };
  const env = readEnv({ DATA_DIR: dataDir, HOST: '127.0.0.1', ...key });
  const write = (statement: RawBuilder<unknown>) => db.transaction((tx) => statement.execute(tx.query));
  const world: DoctorWorld = {
    db,
    dataDir,
    env: {},
    skewMs: 0,
    facts: (gathered) => gathered,
    pingRedis: async () => undefined,
    askStream: async () => 'apart',
    async look(language = 'en') {
      const clock = { ...systemClock, nowMs: () => Date.now() + world.skewMs };
      const gathered = await gather({
        ...{ db, clock, crypto, listPrice: cataloguePrice, pingRedis: world.pingRedis, askStream: world.askStream },
        env: { ...env, ...world.env },
        settings: () => readStoredOptions({ db, clock, crypto }),
      });
      return judge(world.facts(onGoodMachine(gathered)), seconds(), language).checks;
    },
    levels: async () => new Map((await world.look()).map(({ id, level }) => [id, level])),
    async insert(table, row) {
      const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
      await write(sql`INSERT INTO ${sql.table(table)} (${columns}) VALUES (${sql.join(Object.values(row))})`);
      return () => write(sql`DELETE FROM ${sql.table(table)} WHERE ${matching(row)}`);
    },
    async set(table, values, where) {
      const columns = Object.keys(values);
      const { rows } = await sql<Record<string, unknown>>`
        SELECT ${sql.join(columns.map((name) => sql.ref(name)))} FROM ${sql.table(table)} WHERE ${matching(where)}`.execute(
        db.read,
      );
      if (rows.length !== 1) throw new Error(`${table}: ${rows.length} rows to change`);
      await write(sql`UPDATE ${sql.table(table)} SET ${assigned(values)} WHERE ${matching(where)}`);
      return () =>
        write(sql`UPDATE ${sql.table(table)} SET ${assigned(rows[0] ?? {})} WHERE ${matching({ ...where, ...values })}`);
    },
    async run(statement, back) {
      await write(sql.raw(statement));
      return () => write(sql.raw(back));
    },
    option: async (name, value) =>
      name === 'ServerAddress' ? world.set('option', { value }, { key: name }) : world.insert('option', { key: name, value }),
  };
  return { world, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

const matching = (row: Record<string, unknown>) =>
  sql.join(
    Object.entries(row).map(([name, value]) =>
      value === null ? sql`${sql.ref(name)} IS NULL` : sql`${sql.ref(name)} = ${value}`,
    ),
    sql` AND `,
  );
const assigned = (row: Record<string, unknown>) =>
  sql.join(Object.entries(row).map(([name, value]) => sql`${sql.ref(name)} = ${value}`));

/** What the machine of the test is like says nothing about the checks. */
function onGoodMachine(gathered: Gathered): Gathered {
  if (gathered.host === undefined || gathered.engine === undefined) return gathered;
  const machine: Partial<Facts['host']> = {
    nodeMajor: 24,
    userId: 1000,
    memory: { total: 8 * gibibyte, free: gibibyte },
    descriptors: 1_000_000,
    disk: { total: 100 * gibibyte, free: 50 * gibibyte, inodes: 1e6, freeInodes: 1e6 },
    diskReserve: 2 * gibibyte,
  };
  // The servers of the tests do without what makes them slow.
  const sound = (settings: Facts['engine']['journal']) => settings.map((setting) => ({ ...setting, isSound: true }));
  const { journal, commits, connections } = gathered.engine;
  return {
    ...gathered,
    host: { ...gathered.host, ...machine },
    engine: {
      ...gathered.engine,
      journal: sound(journal),
      commits: gathered.host.isEmbedded ? commits : sound(commits),
      connections: connections === undefined ? undefined : { used: 1, most: connections.most },
    },
  };
}

async function furnish(db: Database): Promise<void> {
  const passwords = createPasswords({ memoryKiB: 64, passes: 1 });
  await bootstrapRoot({ db, clock: systemClock, passwords, initialPassword: 'root-horse-battery-9' });
  await db.transaction(async ({ query }) => {
    const reached = { email: 'root@example.com', setting: '{"webhook_url":"https://pager.example.com/"}' };
    await query.updateTable('users').set(reached).where('username', '=', 'root').execute();
    const root = await query.selectFrom('users').select('id').where('username', '=', 'root').executeTakeFirstOrThrow();
    const totp = { user_id: root.id, secret_sealed: '', confirmed: 1, last_step: 0, created_at: 1 };
    await query.insertInto('totp').values(totp).execute();
    await query.insertInto('option').values({ key: 'ServerAddress', value: 'https://gate.example.com' }).execute();
    for (const id of [1, 2]) {
      const place = { id, type: 1, base_url: '' };
      const row = { ...channelRow(id), ...place, models: 'gpt-4o-mini', ...keyColumns(crypto, place, `sk-upstream-${id}`) };
      await query
        .insertInto('channel')
        .values({ ...row, created_at: 1 } as never)
        .execute();
      const ability = {
        group_name: 'default',
        model: 'gpt-4o-mini',
        channel_id: id,
        enabled: 1,
        priority: 0,
        weight: 1,
        tag: '',
      };
      await query.insertInto('ability').values(ability).execute();
    }
  });
  await createProofWatch({ db, clock: systemClock, sign: (text) => crypto.hmac('receipt', text), node: 'a' }).run();
}
