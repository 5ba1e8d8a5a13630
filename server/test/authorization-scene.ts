import { neutralPolicy, role } from '@tollgate/contract';
import { CompiledQuery } from 'kysely';
import { commandLine } from '../src/audit/index.ts';
import { openWallet, transfer, writeReceipt } from '../src/billing/index.ts';
import { blankUser } from '../src/identity/registration.ts';
import { sha256 } from '../src/platform/crypto.ts';
import type { Database, Transaction } from '../src/storage/database.ts';
import type { ApiKit } from './api-kit.ts';
import { plainPrice } from './plain-price.ts';

/** A user with everything that could open a door: a session, a system access token, an API token, a passkey. */
export interface Actor {
  id: number;
  username: string;
  cookie: string;
  accessToken: string;
  sessionId: number;
  tokenId: number;
  passkeyId: number;
}

/** What the requests of the matrix are built from: `actor` calls, `victim` owns what the call aims at. */
export interface Scene {
  kit: ApiKit;
  actor: Actor;
  victim: Actor;
  /** A new channel. */
  channel(): Promise<number>;
  /** A new row of the log with a receipt; returns its id. */
  charge(userId: number): Promise<number>;
  /** Never the same twice. */
  unique: string;
}

/** Text that must stand in no answer that was denied, and secrets that must stand in none at all. */
export const marks = { protected: 'guarded-by-rules', secret: 'upstream-secret-key' };

export const actorPassword = 'actor-horse-11';
let counter = 0;

/** Inserts users directly: hundreds of them are needed, each with its own open session. */
export async function addActor(kit: ApiKit, passwordHash: string, userRole: number = role.common): Promise<Actor> {
  counter += 1;
  const username = `actor${counter}`;
  const [secret, second] = [`session-${counter}-a`, `session-${counter}-b`];
  const accessToken = `access${counter}`.padEnd(44, 'x');
  const sessionId = Number.parseInt(sha256(second).slice(0, 12), 16) + 1;
  const now = Math.floor(kit.clock.nowMs() / 1000);
  const made = await kit.db.transaction(async (tx) => {
    const { id } = await tx.query
      .insertInto('users')
      .values({
        ...blankUser(now),
        username,
        display_name: `${marks.protected}-${counter}`,
        password_hash: passwordHash,
        role: userRole,
        aff_code: `code${counter}`,
        access_token_hash: sha256(accessToken),
        aff_history_quota: 500_000,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.perform(openWallet(id));
    const earnings = {
      from: 'invite',
      to: `user:${id}:affiliate`,
      amount: 500_000,
      kind: 'invite',
      ref: `invite:${id}`,
    } as const;
    await tx.perform(transfer({ ...earnings, userId: id, actorId: 0, now, note: '' }));
    for (const value of [secret, second]) {
      const row = { user_id: id, session_epoch: 0, created_at: now, seen_at: now, ip: '192.0.2.1', user_agent: marks.protected };
      await tx.query
        .insertInto('session')
        .values({ ...row, id_hash: sha256(value) })
        .execute();
    }
    return { id, passkeyId: await addPasskey(tx, id, now) };
  });
  const tokenId = await addToken(kit, made.id);
  return { ...made, username, cookie: `session=${secret}`, accessToken, sessionId, tokenId };
}

async function addToken(kit: ApiKit, userId: number): Promise<number> {
  const limits = { remain_quota: 5, unlimited_quota: false, expired_time: -1, model_limits_enabled: false, model_limits: '' };
  await kit.deps.tokens.create(
    { id: userId, group: 'default' },
    { ...limits, ...neutralPolicy, name: marks.protected, allow_ips: '', group: '' },
    commandLine,
  );
  const row = await kit.db.read.selectFrom('token').select('id').where('user_id', '=', userId).executeTakeFirstOrThrow();
  return row.id;
}

async function addPasskey(tx: Transaction, userId: number, now: number): Promise<number> {
  const columns = { user_id: userId, credential_id: `credential-${userId}`, public_key: 'AA', counter: 0, transports: '[]' };
  const { id } = await tx.query
    .insertInto('passkey')
    .values({ ...columns, name: marks.protected, created_at: now, used_at: 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A switched-off channel with a credential, made by the product itself. */
export async function addChannel(kit: ApiKit): Promise<number> {
  counter += 1;
  const name = `${marks.protected}-channel-${counter}`;
  const models = 'gpt-4o';
  await kit.deps.channels.create({ type: 1, name, key: `${marks.secret}-${counter}`, models, group: 'default', status: 2 });
  const row = await kit.db.read.selectFrom('channel').select('id').where('name', '=', name).executeTakeFirstOrThrow();
  return row.id;
}

/** A row of the log that charged a call. */
export async function addCharge(kit: ApiKit, userId: number): Promise<number> {
  const usage = { prompt: 1, completion: 1, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false } as const;
  const texts = { username: '', token_name: '', model_name: marks.protected, group_name: '', content: '', other: '', ip: '' };
  const counts = { token_id: 0, channel_id: 0, quota: 2, shortfall: 0, prompt_tokens: 1, completion_tokens: 1, use_time: 0 };
  const receipt = writeReceipt(marks.protected, plainPrice, usage, 2, () => '00');
  return kit.db.transaction(async (tx) => {
    const row = { ...texts, ...counts, type: 2, user_id: userId, created_at: 1, is_stream: 0, request_id: uniqueWord(), receipt };
    return (await tx.query.insertInto('log').values(row).returning('id').executeTakeFirstOrThrow()).id;
  });
}

const known = new WeakMap<ApiKit, Promise<string>>();
const told = ['audit', 'audit_head'];

/** Every table as text but the audit log, where refusals are noted: a line for each row, in no order. One statement: each would be a way of its own to the database. */
export async function dump(kit: ApiKit): Promise<string[]> {
  const statement = known.get(kit) ?? allRows(kit.db);
  known.set(kit, statement);
  const { rows } = await kit.db.read.executeQuery<{ line: string }>(CompiledQuery.raw(await statement));
  return rows.map(({ line }) => line).sort();
}

async function allRows({ engine, read }: Database): Promise<string> {
  const tables = (await read.introspection.getTables()).filter(({ name }) => !told.includes(name));
  const lines = tables.map(({ name, columns }) => {
    const quoted = columns.map((column) => `quote("${column.name}")`).join(" || ',' || ");
    return `SELECT '${name}: ' || ${engine === 'sqlite' ? quoted : 'one::text'} AS line FROM "${name}" AS one`;
  });
  return lines.join(' UNION ALL ');
}

export function uniqueWord(): string {
  counter += 1;
  return `w${counter}`;
}
