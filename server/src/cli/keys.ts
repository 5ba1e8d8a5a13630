import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine, recordAudit } from '../audit/index.ts';
import { sealedCodes, sealedNotices } from '../billing/index.ts';
import { type Env, readEnv } from '../env.ts';
import { sealedSecondFactors, sealedTokens } from '../identity/index.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { sealedPreferences } from '../notify/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { createCrypto, keyId } from '../platform/crypto.ts';
import { readMasterKey } from '../platform/master-key.ts';
import { sealedChannels } from '../routing/index.ts';
import { sealedOptions } from '../settings/index.ts';
import { refuseRunningServer } from '../storage/backup.ts';
import type { Database } from '../storage/database.ts';
import { keyOf, readRoot, signingRoot, signingRootBinding, signingRootOption } from '../storage/master.ts';
import { databaseNowMs, presentNodes } from '../storage/presence.ts';
import { type Resealed, resealAll, type SealedColumn } from '../storage/reseal.ts';
import { type CliWorld, type Outcome, UsageError } from './outcome.ts';

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
export async function rotateKeysCommand(world: CliWorld, { to }: { to?: string }): Promise<Outcome> {
  const env = readEnv(world.env);
  const isOwnFile = env.SECRET_KEY === undefined && env.SECRET_KEY_FILE === undefined;
  if (isOwnFile === (to !== undefined)) {
    throw new UsageError(
      isOwnFile
        ? 'The key is secret.key in the data folder, and is replaced there: leave --to out'
        : '--to FILE: where the new key shall lie (made when it is not there); SECRET_KEY or SECRET_KEY_FILE is changed by you',
    );
  }
  await (await openStorageForReading(env, world.clock)).close();
  if (env.DATABASE_URL === undefined) refuseRunningServer(env.DATA_DIR);
  const current = await readMasterKey(env);
  const file = to ?? join(env.DATA_DIR, 'secret.key.next');
  const next = newKey(file);
  if (keyId(next) === keyId(current)) throw new Error(`${file} holds the present key`);
  const db = await openStorage(env, world.clock);
  const result = await rotate(world, db, current, next).finally(() => db.close());
  const kept = isOwnFile ? replaceKey(env, file, keyId(current)) : undefined;
  return outcomeOf(result, { file, kept });
}

/** Reads the key of an interrupted run, or makes one that is on disk when this returns. */
function newKey(file: string): Buffer {
  if (!existsSync(file)) {
    const draft = `${file}.draft`;
    const handle = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(handle, `${randomBytes(32).toString('hex')}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
    syncFolder(file);
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes as hex`);
  return key;
}

/** Undefined: an earlier run did it. */
async function rotate({ clock }: CliWorld, db: Database, current: Buffer, next: Buffer): Promise<Resealed | undefined> {
  const running = await presentNodes(db, Math.floor((await databaseNowMs(db)) / 1000));
  if (running.length > 0) {
    const names = running.map(({ name }) => name).join(', ');
    throw new Error(`Servers run on this database (${names}): stop them first. One that was killed is forgotten after a minute.`);
  }
  const stored = await signingRoot(db);
  if (stored !== undefined && keyOf(stored) === keyId(next)) return undefined;
  const root = stored === undefined ? current : readRoot(stored, current);
  const [from, to] = [createCrypto(current, root), createCrypto(next, root)];
  return db.transaction(
    async (tx) => {
      const result = await resealAll(tx, sealed, { from, to });
      const lost = Object.values(result.unreadable).reduce((sum, count) => sum + count, 0);
      if (result.moved === 0 && lost > 0) throw new Error('This is not the master key of this database: it opens nothing in it.');
      const row = { key: signingRootOption, value: to.seal(root.toString('hex'), signingRootBinding) };
      await tx.query
        .insertInto('option')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
        .execute();
      const detail = { from: keyId(current), to: keyId(next), sealed: result.moved, unreadable: lost };
      await tx.perform(
        recordAudit({ actor: commandLine, action: 'keys.rotate', target: 'keys', detail, now: nowSeconds(clock) }),
      );
      return result;
    },
    { timeoutMs: longestMs },
  );
}

/** The old key stays beside the new one: backups of before need it. At no moment there is none. */
function replaceKey({ DATA_DIR }: Env, next: string, oldId: string): string {
  const place = join(DATA_DIR, 'secret.key');
  const kept = `${place}.${oldId}`;
  if (!existsSync(kept)) writeFileSync(kept, readFileSync(place), { mode: 0o600, flag: 'wx' });
  chmodSync(kept, 0o600);
  renameSync(next, place);
  syncFolder(place);
  return kept;
}

function syncFolder(path: string): void {
  const handle = openSync(dirname(path), 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
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
