import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, recordAudit } from '../audit/index.ts';
import { passReceipts, sealedCodes, sealedNotices } from '../billing/index.ts';
import { type Env, EnvironmentError, readEnv } from '../env.ts';
import { sealedSecondFactors, sealedTokens } from '../identity/index.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { sealedPreferences } from '../notify/index.ts';
import { type Clock, nowSeconds, toSeconds } from '../platform/clock.ts';
import { type Crypto, createCrypto, keyId } from '../platform/crypto.ts';
import { createFile, replaceFile, syncFolder } from '../platform/durable.ts';
import { loadMasterKey, readMasterKey } from '../platform/master-key.ts';
import { sealedChannels } from '../routing/index.ts';
import { sealedOptions } from '../settings/index.ts';
import { refuseRunningServer } from '../storage/backup.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { keyOf, openCrypto, readRoot, signingRoot, signingRootBinding, signingRootOption } from '../storage/master.ts';
import { databaseNowMs, presentNodes } from '../storage/presence.ts';
import { type Resealed, resealAll, type SealedColumn } from '../storage/reseal.ts';
import { onPresent } from './database.ts';
import { type CliWorld, type Outcome, placed, UsageError } from './outcome.ts';

/** Everything that the master key seals. */
export const sealed: readonly SealedColumn[] = [
  ...[sealedTokens, sealedSecondFactors, sealedCodes, sealedNotices],
  ...[sealedChannels, sealedOptions, sealedPreferences],
];
const longestMs = 600_000;

/**
 * Gives the database a new master key: every secret is sealed anew in one transaction. What was begun and cut off is
 * finished by the same command: the new key lies in its file before anything is changed.
 */
export async function rotateKeysCommand(
  world: CliWorld,
  { to, lost = false }: { to?: string; lost?: boolean },
): Promise<Outcome> {
  const env = readEnv(world.env);
  if (lost) return replaceLostKey(world, env, to);
  const isOwnFile = env.SECRET_KEY === undefined && env.SECRET_KEY_FILE === undefined;
  if (isOwnFile === (to !== undefined)) {
    throw new UsageError(
      isOwnFile
        ? 'The key is secret.key in the data folder, and is replaced there: leave --to out'
        : '--to FILE: where the new key shall lie (made when it is not there); SECRET_KEY or SECRET_KEY_FILE is changed by you',
    );
  }
  await refuseServers(env);
  const current = await readMasterKey(env);
  const file = to ?? join(env.DATA_DIR, 'secret.key.next');
  const next = newKey(file);
  if (keyId(next) === keyId(current)) throw new Error(`${file} holds the present key`);
  const db = await openStorage(env);
  const result = await onPresent(db, () => rotate(world, db, current, next)).finally(() => db.close());
  const kept = isOwnFile ? replaceKey(env, file, keyId(current)) : undefined;
  return placed(env, outcomeOf(result, { file, kept }));
}

/** The environment's key, made where there is none, becomes the database's; what the lost one sealed stays closed. */
async function replaceLostKey(world: CliWorld, env: Env, to: string | undefined): Promise<Outcome> {
  if (to !== undefined) throw new UsageError('--lost takes the key that the environment names: leave --to out');
  await refuseServers(env);
  const db = await openStorage(env);
  try {
    await refuseNodes(db);
    await refuseKeptKey(db, env);
    const masterKey = await loadMasterKey(env);
    if (await opens(db, masterKey))
      throw new Error(`The database goes with this master key (${keyId(masterKey)}): nothing is lost.`);
    await db.transaction(async (tx) => {
      // What the lost key signed would be a difference forever: each hour, and to every backup.
      await passReceipts(tx);
      const detail = { to: keyId(masterKey), lost: true };
      await adopt(tx, world.clock, { crypto: createCrypto(masterKey), root: masterKey, detail });
    });
    return placed(env, { exitCode: 0, text: afterLoss(keyId(masterKey)), json: { ok: true, key: keyId(masterKey) } });
  } finally {
    await db.close();
  }
}

/** The key of a rotation that was cut off, or of before one, lies beside `secret.key`. */
async function refuseKeptKey(db: Database, { DATA_DIR }: Env): Promise<void> {
  const names = existsSync(DATA_DIR) ? readdirSync(DATA_DIR).filter((name) => name.startsWith('secret.key.')) : [];
  for (const name of names) {
    const file = join(DATA_DIR, name);
    const kept = await readMasterKey({ SECRET_KEY: undefined, SECRET_KEY_FILE: file, DATA_DIR }).catch(() => undefined);
    if (kept !== undefined && (await opens(db, kept)))
      throw new Error(`${file} is the master key of this database: nothing is lost.`);
  }
}

async function opens(db: Database, masterKey: Buffer): Promise<boolean> {
  try {
    await openCrypto(db, masterKey);
    return true;
  } catch (error) {
    if (error instanceof EnvironmentError) return false;
    throw error;
  }
}

const afterLoss = (id: string): string =>
  [
    `The master key of this database is ${id} from now on. What the lost one sealed stays closed:`,
    '  keys of channels and secrets of the settings: enter them anew;',
    '  API keys: give each token a new one; codes that nobody redeemed: make new ones;',
    '  second factors: npx tollgate user reset-second-factor NAME; receipts of before cannot be verified any more.',
    'Users, passwords, balances, prices and the log are as they were. Make a backup now, and keep the key in another place.',
  ].join('\n');

/** There is a database, and no server of this machine has it open. */
async function refuseServers(env: Env): Promise<void> {
  await (await openStorageForReading(env)).close();
  if (env.DATABASE_URL === undefined) refuseRunningServer(env.DATA_DIR);
}

/** Reads the key of an interrupted run, or makes one that is on disk when this returns. */
function newKey(file: string): Buffer {
  if (!existsSync(file)) createFile(file, `${randomBytes(32).toString('hex')}\n`);
  if (statSync(file).isDirectory()) throw new UsageError(`${file} is a folder: name a file`);
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes as hex`);
  return key;
}

/** Undefined: an earlier run did it. */
async function rotate({ clock }: CliWorld, db: Database, current: Buffer, next: Buffer): Promise<Resealed | undefined> {
  await refuseNodes(db);
  const stored = await signingRoot(db);
  if (stored !== undefined && keyOf(stored) === keyId(next)) return undefined;
  const root = stored === undefined ? current : readRoot(stored, current);
  const [from, to] = [createCrypto(current, root), createCrypto(next, root)];
  return db.transaction(
    async (tx) => {
      const result = await resealAll(tx, sealed, { from, to });
      const lost = Object.values(result.unreadable).reduce((sum, count) => sum + count, 0);
      if (result.moved === 0 && lost > 0) throw new Error('This is not the master key of this database: it opens nothing in it.');
      const detail = { from: keyId(current), to: keyId(next), sealed: result.moved, unreadable: lost };
      await adopt(tx, clock, { crypto: to, root, detail });
      return result;
    },
    { timeoutMs: longestMs },
  );
}

async function refuseNodes(db: Database): Promise<void> {
  const running = await presentNodes(db, toSeconds(await databaseNowMs(db)));
  if (running.length === 0) return;
  const names = running.map(({ name }) => name).join(', ');
  throw new Error(`Servers run on this database (${names}): stop them first. One that was killed is forgotten after a minute.`);
}

interface Adopted {
  readonly crypto: Crypto;
  /** What signatures are made with. */
  readonly root: Buffer;
  readonly detail: Record<string, string | number | boolean>;
}

/** From here on the database wants the key of `crypto`. */
async function adopt(tx: Transaction, clock: Clock, { crypto, root, detail }: Adopted): Promise<void> {
  const row = { key: signingRootOption, value: crypto.seal(root.toString('hex'), signingRootBinding) };
  await tx.query
    .insertInto('option')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
    .execute();
  await tx.perform(recordAudit({ actor: commandLine, action: 'keys.rotate', target: 'keys', detail, now: nowSeconds(clock) }));
}

/** The old key stays beside the new one: backups of before need it. At no moment there is none. */
function replaceKey({ DATA_DIR }: Env, next: string, oldId: string): string {
  const place = join(DATA_DIR, 'secret.key');
  const kept = `${place}.${oldId}`;
  replaceFile(kept, readFileSync(place, 'utf8'));
  renameSync(next, place);
  syncFolder(DATA_DIR);
  return kept;
}

function outcomeOf(result: Resealed | undefined, { file, kept }: { file: string; kept: string | undefined }): Outcome {
  const unreadable = Object.entries(result?.unreadable ?? {}).map(([table, count]) => `${count} in ${table}`);
  const lines = [
    result === undefined
      ? 'The secrets were sealed under the new key already.'
      : `${result.moved} secrets are sealed under the new key.`,
    ...(unreadable.length === 0 ? [] : [`Could not be opened before, and stay as they were: ${unreadable.join(', ')}.`]),
    kept === undefined
      ? `Start every server with SECRET_KEY_FILE=${file} (or its content as SECRET_KEY) and without the old one.`
      : `The old key is ${kept} now: backups of before need it. Keep it with them, and not here.`,
    'API keys, receipts and recovery codes stay valid. Make a backup now.',
  ];
  return {
    exitCode: 0,
    text: lines.join('\n'),
    json: { ok: true, file: kept === undefined ? file : null, old_key: kept ?? null, ...result },
  };
}
