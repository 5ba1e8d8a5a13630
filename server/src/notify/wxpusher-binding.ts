import type { WxPusherCode } from '@tollgate/contract';
import { asObject, parseObject } from '@tollgate/wire';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import type { Options } from '../settings/index.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { type Preferences, preferencesText, readPreferences } from './preferences.ts';
import { isWxPusherOn } from './ways/wxpusher.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly http: SystemClient;
  readonly changes: ChangeSignal;
  readonly options: () => Pick<Options, 'WxPusherEnabled' | 'WxPusherAppToken'>;
}

/** Connects an account with whoever scans a code (contract 9.5). */
export interface WxPusherBinding {
  /** A fresh code of this user; the one before it is worthless. Throws PublicError `wxpusher_disabled`, `wxpusher_code_failed`. */
  code(userId: number): Promise<WxPusherCode>;
  state(userId: number, code: string): Promise<'waiting' | 'bound' | 'expired'>;
  /** Somebody scanned the code with this nonce, as the service says; a nonce that nobody waits for is ignored. */
  scanned(nonce: string, uid: string): Promise<void>;
  unbind(userId: number): Promise<void>;
}

const base = 'https://wxpusher.zjiecode.com';
const validSeconds = 300;
/** The service wants to be asked no more often. */
const pollSeconds = 10;
/** 190 bits, within the 64 characters that the service takes. */
const nonceLength = 32;
const ok = 1000;
const uidForm = /^UID_[\w-]{1,64}$/;

export function createWxPusherBinding(parts: Parts): WxPusherBinding {
  const { db, clock, options } = parts;
  return {
    async code(userId) {
      if (!isWxPusherOn(options())) throw new PublicError('wxpusher_disabled');
      const nonce = randomAlphanumerics(nonceLength);
      const { code, url } = await createCode(parts, nonce);
      const now = nowSeconds(clock);
      const row = { nonce_hash: sha256(nonce), user_id: userId, code, expires_at: now + validSeconds };
      await db.transaction(async (tx) => {
        await tx.query
          .deleteFrom('wxpusher_code')
          .where((where) => where.or([where('expires_at', '<=', now), where('user_id', '=', userId)]))
          .execute();
        await tx.query.insertInto('wxpusher_code').values(row).execute();
      });
      return { code, url, expires_at: row.expires_at };
    },
    state: (userId, code) => stateOf(parts, userId, code),
    scanned: (nonce, uid) => bind(parts, { nonceHash: sha256(nonce), uid }),
    async unbind(userId) {
      await db.transaction((tx) => changePreferences(tx, userId, nowSeconds(clock), ({ wxpusher_uid: _, ...kept }) => kept));
      parts.changes.notify();
    },
  };
}

async function createCode({ http, options }: Parts, nonce: string): Promise<{ code: string; url: string }> {
  const order = { appToken: options().WxPusherAppToken, extra: nonce, validTime: validSeconds };
  const data = await askService(http, { path: '/api/fun/create/qrcode', body: JSON.stringify(order) });
  const { code, url } = asObject(data) ?? {};
  const picture = typeof url === 'string' ? URL.parse(url) : null;
  // Shown as a picture: nothing but an https address.
  if (typeof code !== 'string' || code === '' || code.length > 255 || picture?.protocol !== 'https:')
    throw new PublicError('wxpusher_code_failed');
  return { code, url: picture.href };
}

/** What the service has to say; undefined when it has nothing, or cannot be asked. */
async function askService(http: SystemClient, { path, body }: { path: string; body?: string }): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await http.request({
      url: `${base}${path}`,
      ...(body === undefined ? {} : { method: 'POST', headers, body }),
    });
    const record = parseObject(answer.text);
    return record?.code === ok ? record.data : undefined;
  } catch {
    return undefined;
  }
}

async function stateOf(parts: Parts, userId: number, code: string): Promise<'waiting' | 'bound' | 'expired'> {
  const { db, clock, http } = parts;
  const now = nowSeconds(clock);
  const row = await db.read
    .selectFrom('wxpusher_code')
    .select(['nonce_hash', 'expires_at'])
    .where('user_id', '=', userId)
    .where('code', '=', code)
    .executeTakeFirst();
  if (row === undefined) return (await isBound(db, userId)) ? 'bound' : 'expired';
  if (row.expires_at <= now) return 'expired';
  if (!(await mayPoll(db, row.nonce_hash, now))) return 'waiting';
  const uid = await askService(http, { path: `/api/fun/scan-qrcode-uid?code=${encodeURIComponent(code)}` });
  if (typeof uid !== 'string' || !uidForm.test(uid)) return 'waiting';
  await bind(parts, { nonceHash: row.nonce_hash, uid });
  return 'bound';
}

/** Of all nodes, one asks within ten seconds. */
async function mayPoll(db: Database, nonceHash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db.transaction((tx) =>
    tx.query
      .updateTable('wxpusher_code')
      .set({ polled_at: now })
      .where('nonce_hash', '=', nonceHash)
      .where('polled_at', '<=', now - pollSeconds)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

async function isBound({ read }: Database, userId: number): Promise<boolean> {
  const row = await read.selectFrom('users').select('setting').where('id', '=', userId).executeTakeFirst();
  return readPreferences(row?.setting ?? '').wxpusher_uid !== undefined;
}

async function bind({ db, clock, changes }: Parts, { nonceHash, uid }: { nonceHash: string; uid: string }): Promise<void> {
  if (!uidForm.test(uid)) return;
  const now = nowSeconds(clock);
  await db.transaction(async (tx) => {
    const row = await tx.query
      .deleteFrom('wxpusher_code')
      .where('nonce_hash', '=', nonceHash)
      .where('expires_at', '>', now)
      .returning('user_id')
      .executeTakeFirst();
    if (row !== undefined) await changePreferences(tx, row.user_id, now, (before) => ({ ...before, wxpusher_uid: uid }));
  });
  changes.notify();
}

/** Under the lock of the user's row: settings that are saved at the same time are not lost. */
async function changePreferences(
  tx: Transaction,
  userId: number,
  now: number,
  change: (before: Preferences) => Preferences,
): Promise<void> {
  const row = await tx.query
    .updateTable('users')
    .set((column) => ({ username: column.ref('username') }))
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning('setting')
    .executeTakeFirst();
  if (row === undefined) return;
  const setting = preferencesText(change(readPreferences(row.setting)));
  await tx.query.updateTable('users').set({ setting }).where('id', '=', userId).execute();
  await tx.perform(notifyChange('user', String(userId), now));
}
