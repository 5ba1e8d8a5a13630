import { mostAmount, never, type Token, type TokenChange, type TokenInput, tokenBounds, tokenStatus } from '@tollgate/contract';
import { sql } from 'kysely';
import { type Actor, recordAudit } from '../audit/index.ts';
import { createTokenQuota, LedgerRefusal, setTokenQuota } from '../billing/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { newTokenKey } from '../platform/ids.ts';
import type { Options } from '../settings/index.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { countRows, type ListPage, rowsOf } from '../storage/page.ts';
import { noOldKey, oldKeyUntil, tellRotated } from './old-keys.ts';
import { checkInput, inputOf, ownerColumns, tokenChanges } from './token-input.ts';
import { enableFault } from './token-status.ts';
import { lockedToken, oldKeyOf, openKey, sealBinding, type TokenRow, toToken } from './token-view.ts';
import type { UserFacts } from './types.ts';
import { lockedUser } from './users.ts';

export interface TokenDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  options(): Options;
}

type Owner = Pick<UserFacts, 'id' | 'group'>;

interface TokenPage extends ListPage {
  /** 0 = any. */
  status: number;
}

/** API tokens of one owner; another's token is a missing one. */
export interface Tokens {
  /** The key is of 48 characters, without a prefix. */
  create(owner: Owner, input: TokenInput, actor: Actor): Promise<{ id: number; key: string }>;
  /** Writes the fields that are given, never the status; what is absent stays. */
  update(owner: Owner, id: number, change: TokenChange, actor: Actor): Promise<Token>;
  /** 1 or 2 only. */
  setStatus(owner: Owner, id: number, status: number, actor: Actor): Promise<Token>;
  /** A new key for the same token; the old one works for so many seconds more, and any before it is dead when this resolves. */
  rotate(owner: Owner, id: number, oldKeySeconds: number, actor: Actor): Promise<Token>;
  /** The old key is dead when this resolves. */
  endOldKey(owner: Owner, id: number, actor: Actor): Promise<Token>;
  remove(owner: Owner, id: number, actor: Actor): Promise<void>;
  get(owner: Owner, id: number): Promise<Token>;
  /** Newest first. */
  list(owner: Owner, query: TokenPage): Promise<Token[]>;
  /** The same of those whose name contains `keyword` and whose key contains `token`. */
  search(owner: Owner, query: TokenPage & { keyword: string; token: string }): Promise<Token[]>;
}

/** Keys that are opened together. */
const keysAtOnce = 100;
/** Tokens of one owner that a search looks at. */
const searchDepth = 10_000;

export function createTokens(deps: TokenDeps): Tokens {
  const { db, crypto } = deps;
  return {
    create: (owner, input, actor) => createToken(deps, owner, input, actor),
    update: (owner, id, input, actor) => updateToken(deps, owner, id, input, actor),
    setStatus: (owner, id, status, actor) => setStatus(deps, owner, id, status, actor),
    rotate: (owner, id, oldKeySeconds, actor) => rotateToken(deps, owner, id, oldKeySeconds, actor),
    endOldKey: (owner, id, actor) => endOldKey(deps, owner, id, actor),
    remove: (owner, id, actor) => removeToken(deps, owner, id, actor),
    async get(owner, id) {
      const row = await ownTokens(db, owner).selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('token_not_found');
      return toToken(row, crypto, nowSeconds(deps.clock));
    },
    async list(owner, { status, ...pages }) {
      const now = nowSeconds(deps.clock);
      const { limit, offset } = rowsOf(pages);
      const rows = await withStatus(ownTokens(db, owner), status, now)
        .selectAll()
        // The plus keeps PostgreSQL from walking the key through everybody's tokens: an owner of many is expected to be met soon.
        .orderBy(sql`+id`, 'desc')
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map((row) => toToken(row, crypto, now));
    },
    search: (owner, query) => searchTokens(deps, owner, query),
  };
}

function ownTokens(db: Pick<Database, 'read'>, owner: Owner) {
  return db.read.selectFrom('token').where('user_id', '=', owner.id).where('deleted_at', 'is', null);
}

/** By what `tokenStatusAt` says of each; 0 = any. */
function withStatus(tokens: ReturnType<typeof ownTokens>, status: number, now: number) {
  if (status <= 0) return tokens;
  return tokens.where((row) => {
    const isOver = row.and([
      row('status', '=', tokenStatus.enabled),
      row('expired_at', '!=', never),
      row('expired_at', '<', now),
    ]);
    return row(row.case().when(isOver).then(tokenStatus.expired).else(row.ref('status')).end(), '=', status);
  });
}

type Search = Parameters<Tokens['search']>[1];

/** Names first, then the keys of those that match, some at a time until the page is full; whole rows of what is shown only. */
async function searchTokens({ db, crypto, clock }: TokenDeps, owner: Owner, search: Search): Promise<Token[]> {
  const { keyword, token, status } = search;
  const { limit, offset } = rowsOf(search);
  const end = offset + limit;
  const now = nowSeconds(clock);
  const own = withStatus(ownTokens(db, owner), status, now).orderBy('id', 'desc');
  const names = await own.select(['id', 'name']).limit(searchDepth).execute();
  const word = keyword.toLowerCase();
  const named = names.flatMap(({ id, name }) => (name.toLowerCase().includes(word) ? [id] : []));
  const wanted = token.replace(/^sk-/, '');
  const found = wanted === '' ? named : [];
  const unread = wanted === '' ? [] : named;
  for (let start = 0; start < unread.length && found.length < end; start += keysAtOnce) {
    const page = unread.slice(start, start + keysAtOnce);
    const keys = await own.select(['id', 'user_id', 'key_sealed', 'key_hmac']).where('id', 'in', page).execute();
    for (const row of keys) if (openKey(row, crypto).includes(wanted)) found.push(row.id);
  }
  const shown = found.slice(offset, end);
  if (shown.length === 0) return [];
  const rows = await own.selectAll().where('id', 'in', shown).execute();
  return rows.map((row) => toToken(row, crypto, now));
}

async function createToken(deps: TokenDeps, owner: Owner, input: TokenInput, actor: Actor) {
  checkInput(deps.options(), owner, input);
  const columns = ownerColumns(input);
  const now = nowSeconds(deps.clock);
  const key = newTokenKey();
  const keyHmac = deps.crypto.hmac('token-key', key);
  const created = await deps.db.transaction(async (tx) => {
    await takePlace(tx, owner);
    const { id } = await tx.query
      .insertInto('token')
      .values({
        ...columns,
        user_id: owner.id,
        key_hmac: keyHmac,
        key_sealed: deps.crypto.seal(key, sealBinding(owner.id, keyHmac)),
        status: tokenStatus.enabled,
        created_at: now,
        accessed_at: now,
        ...createTokenQuota({ remain: input.remain_quota, unlimited: input.unlimited_quota }),
        deleted_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.perform(notifyChange('token', String(id), now));
    const detail = { user: owner.id, name: columns.name };
    await tx.perform(recordAudit({ actor, action: 'token.create', target: `token:${id}`, detail, now }));
    return id;
  });
  deps.changes.notify();
  return { id: created, key };
}

/** One more token for this owner: two at once come one after the other. */
async function takePlace(tx: Transaction, { id }: Owner): Promise<void> {
  if ((await lockedUser(tx, id).executeTakeFirst()) === undefined) throw new PublicError('user_invalid');
  const { tokensOfOwner: max } = tokenBounds;
  const own = tx.query.selectFrom('token').where('user_id', '=', id).where('deleted_at', 'is', null);
  if ((await countRows(own)) >= max) throw new PublicError('token_limit', { max });
}

async function updateToken(deps: TokenDeps, owner: Owner, id: number, change: TokenChange, actor: Actor): Promise<Token> {
  const { remain_quota: remain, unlimited_quota: unlimited, seen_remain_quota: seenRemain, seen_version, ...rest } = change;
  const given: Partial<TokenInput> = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return changeToken(deps, owner, id, async (tx, now, row) => {
    checkInput(deps.options(), owner, { ...given, ...(remain === undefined ? {} : { remain_quota: remain }) }, row);
    const columns = ownerColumns({ ...inputOf(row), ...given });
    await tx.query.updateTable('token').set(columns).where('id', '=', id).execute();
    const quota = { remain, unlimited, seenRemain, seenVersion: seen_version };
    const left = await tx.perform(setTokenQuota(id, quota)).catch(asMoved);
    if (remain !== undefined && left !== undefined && left > mostAmount) throw new PublicError('parameter_error');
    const after = await tx.query.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const detail = tokenChanges(row, after);
    if (Object.keys(detail).length === 0) return;
    await tx.perform(recordAudit({ actor, action: 'token.update', target: `token:${id}`, detail, now }));
  });
}

function asMoved(error: unknown): never {
  if (error instanceof LedgerRefusal && error.code === 'moved') throw new PublicError('token_quota_moved');
  throw error;
}

async function setStatus(deps: TokenDeps, owner: Owner, id: number, status: number, actor: Actor): Promise<Token> {
  if (status !== tokenStatus.enabled && status !== tokenStatus.disabled) throw new PublicError('parameter_error');
  return changeToken(deps, owner, id, async (tx, now, row) => {
    const fault = status === tokenStatus.enabled ? enableFault(row, now) : undefined;
    if (fault !== undefined) throw new PublicError(fault);
    if (status === row.status) return;
    await tx.query.updateTable('token').set({ status }).where('id', '=', id).execute();
    const action = status === tokenStatus.enabled ? 'token.enable' : 'token.disable';
    await tx.perform(recordAudit({ actor, action, target: `token:${id}`, detail: { name: row.name }, now }));
  });
}

async function rotateToken(deps: TokenDeps, owner: Owner, id: number, oldKeySeconds: number, actor: Actor): Promise<Token> {
  const { crypto } = deps;
  const key = newTokenKey();
  const keyHmac = crypto.hmac('token-key', key);
  return changeToken(deps, owner, id, async (tx, now, row) => {
    // "" of a key that cannot be opened: it opens nothing either, and a new one is the way out of that.
    const hint = openKey(row, crypto).slice(-4);
    const old = oldKeySeconds === 0 || hint === '' ? noOldKey : oldKeyUntil(row.key_hmac, hint, now, oldKeySeconds);
    const changed = { key_hmac: keyHmac, key_sealed: crypto.seal(key, sealBinding(owner.id, keyHmac)), ...old };
    await tx.query.updateTable('token').set(changed).where('id', '=', id).execute();
    const detail = { name: row.name, old_key_until: old.old_key_until };
    await tx.perform(tellRotated({ ...row, ...old, old_key_hint: hint, serverAddress: deps.options().ServerAddress }, now));
    await tx.perform(recordAudit({ actor, action: 'token.rotate', target: `token:${id}`, detail, now }));
  });
}

async function endOldKey(deps: TokenDeps, owner: Owner, id: number, actor: Actor): Promise<Token> {
  return changeToken(deps, owner, id, async (tx, now, row) => {
    if (oldKeyOf(row, now) === null) return;
    await tx.query.updateTable('token').set(noOldKey).where('id', '=', id).execute();
    const detail = { name: row.name };
    await tx.perform(recordAudit({ actor, action: 'token.old_key_end', target: `token:${id}`, detail, now }));
  });
}

async function removeToken(deps: TokenDeps, owner: Owner, id: number, actor: Actor): Promise<void> {
  await changeToken(deps, owner, id, async (tx, now, { name }) => {
    await tx.query.updateTable('token').set({ deleted_at: now }).where('id', '=', id).execute();
    await tx.perform(recordAudit({ actor, action: 'token.delete', target: `token:${id}`, detail: { name }, now }));
  });
}

type TokenWrite = (tx: Transaction, now: number, row: TokenRow) => Promise<void>;

/** One owner-checked write with its change row; answers the token as it is afterwards. */
async function changeToken(deps: TokenDeps, owner: Owner, id: number, write: TokenWrite): Promise<Token> {
  const now = nowSeconds(deps.clock);
  const row = await deps.db.transaction(async (tx) => {
    const before = await lockedToken(tx, id).where('user_id', '=', owner.id).executeTakeFirst();
    if (before === undefined) throw new PublicError('token_not_found');
    await write(tx, now, before);
    await tx.perform(notifyChange('token', String(id), now));
    return tx.query.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  });
  deps.changes.notify();
  return toToken(row, deps.crypto, now);
}
