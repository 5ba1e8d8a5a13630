import { isDeepStrictEqual } from 'node:util';
import {
  fields,
  neutralPolicy,
  never,
  readTokenPolicy,
  type Token,
  type TokenChange,
  type TokenInput,
  type TokenPolicy,
  tokenStatus,
} from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { createTokenQuota, setTokenQuota } from '../billing/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { parseIpList } from '../platform/client-ip.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { newTokenKey } from '../platform/ids.ts';
import { mayUseGroup, type Options } from '../settings/index.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { splitWords } from './keyring.ts';
import { enableFault } from './token-status.ts';
import { sealBinding, type TokenRow, toToken } from './token-view.ts';
import type { UserFacts } from './types.ts';

export interface TokenDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  options(): Options;
}

type Owner = Pick<UserFacts, 'id' | 'group'>;

/** API tokens of one owner; another's token is a missing one. */
export interface Tokens {
  /** `actor`: somebody else who makes it for the owner, which is on record. The key is of 48 characters, without a prefix. */
  create(owner: Owner, input: TokenInput, actor?: Actor): Promise<{ id: number; key: string }>;
  /** Writes the fields that are given, never the status; what is absent stays. */
  update(owner: Owner, id: number, change: TokenChange): Promise<Token>;
  /** 1 or 2 only. */
  setStatus(owner: Owner, id: number, status: number): Promise<Token>;
  /** A new key for the same token; the old one is dead when this resolves. */
  rotate(owner: Owner, id: number): Promise<Token>;
  remove(owner: Owner, id: number): Promise<void>;
  get(owner: Owner, id: number): Promise<Token>;
  /** Newest first; `page` counts from 0. */
  list(owner: Owner, page: number, size: number): Promise<Token[]>;
  /** Own tokens whose name contains `keyword` and whose key contains `key`; at most 100. */
  search(owner: Owner, keyword: string, key: string): Promise<Token[]>;
}

const maxNameCharacters = 30;
/** 2 billion dollars: far above any grant, far below where sums leave the safe integers. */
const maxQuota = 1_000_000_000_000_000;
const searchLimit = 100;
/** Tokens of one owner that a search looks at. */
const searchDepth = 10_000;

export function createTokens(deps: TokenDeps): Tokens {
  const { db, crypto } = deps;
  return {
    create: (owner, input, actor) => createToken(deps, owner, input, actor),
    update: (owner, id, input) => updateToken(deps, owner, id, input),
    setStatus: (owner, id, status) => setStatus(deps, owner, id, status),
    rotate: (owner, id) => rotateToken(deps, owner, id),
    remove: (owner, id) => removeToken(deps, owner, id),
    async get(owner, id) {
      const row = await ownTokens(db, owner).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('token_not_found');
      return toToken(row, crypto);
    },
    async list(owner, page, size) {
      const rows = await ownTokens(db, owner)
        .orderBy('id', 'desc')
        .limit(size)
        .offset(page * size)
        .execute();
      return rows.map((row) => toToken(row, crypto));
    },
    async search(owner, keyword, key) {
      const rows = await ownTokens(db, owner).orderBy('id', 'desc').limit(searchDepth).execute();
      const wanted = key.replace(/^sk-/, '');
      const named = rows.filter((row) => row.name.toLowerCase().includes(keyword.toLowerCase()));
      const found: Token[] = [];
      for (const row of named) {
        if (found.length === searchLimit) break;
        const token = toToken(row, crypto);
        if (token.key.includes(wanted)) found.push(token);
      }
      return found;
    },
  };
}

function ownTokens(db: Pick<Database, 'read'>, owner: Owner) {
  return db.read.selectFrom('token').selectAll().where('user_id', '=', owner.id).where('deleted_at', 'is', null);
}

/** What is given must be sound; what is absent is not looked at. Throws PublicError. */
function checkInput({ options }: TokenDeps, owner: Owner, given: Partial<TokenInput>): void {
  const { name = '', remain_quota = 0, expired_time = never, model_limits = '', allow_ips, deny_ips = '', group } = given;
  if ([...name].length > maxNameCharacters) throw new PublicError('token_name_too_long');
  if (remain_quota > maxQuota) throw new PublicError('parameter_error');
  if (expired_time !== never && expired_time <= 0) throw new PublicError('parameter_error');
  if (splitWords(model_limits).some((model) => !fields.modelName.safeParse(model).success))
    throw new PublicError('parameter_error');
  const [entry] = [...parseIpList(allow_ips ?? '').invalid, ...parseIpList(deny_ips).invalid];
  if (entry !== undefined) throw new PublicError('token_ip_invalid', { entry: entry.slice(0, 64) });
  if (group !== undefined && !mayUseGroup(options(), owner.group, group.trim())) throw new PublicError('token_group_unusable');
}

type OwnInput = Omit<TokenInput, 'remain_quota' | 'unlimited_quota'>;

/** Columns of a token that its owner writes; quota belongs to the ledger. */
function ownerColumns(input: OwnInput) {
  return {
    name: input.name,
    expired_at: input.expired_time,
    model_limits_enabled: input.model_limits_enabled ? 1 : 0,
    model_limits: [...new Set(splitWords(input.model_limits))].join(','),
    allow_ips: input.allow_ips ?? '',
    group_name: input.group.trim(),
    policy: policyText(input),
  };
}

/** A row as what its owner would send to have it so. */
function inputOf(row: TokenRow): OwnInput {
  return {
    name: row.name,
    expired_time: row.expired_at,
    model_limits_enabled: row.model_limits_enabled === 1,
    model_limits: row.model_limits,
    allow_ips: row.allow_ips,
    group: row.group_name,
    ...readTokenPolicy(row.policy),
  };
}

/** "" for a token that has none, so that most rows stay short. */
function policyText(input: OwnInput): string {
  const policy = Object.fromEntries(Object.keys(neutralPolicy).map((key) => [key, input[key as keyof TokenPolicy]]));
  return isDeepStrictEqual(policy, { ...neutralPolicy }) ? '' : JSON.stringify(policy);
}

async function createToken(deps: TokenDeps, owner: Owner, input: TokenInput, actor?: Actor) {
  checkInput(deps, owner, input);
  const columns = ownerColumns(input);
  const now = nowSeconds(deps.clock);
  const key = newTokenKey();
  const keyHmac = deps.crypto.hmac('token-key', key);
  const created = await deps.db.transaction(async (tx) => {
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
    if (actor !== undefined) {
      await tx.perform(recordAudit({ actor, action: 'token.create', target: `token:${id}`, detail, now }));
    }
    return id;
  });
  deps.changes.notify();
  return { id: created, key };
}

async function updateToken(deps: TokenDeps, owner: Owner, id: number, change: TokenChange): Promise<Token> {
  const { remain_quota: remain, unlimited_quota: unlimited, seen_remain_quota: seenRemain, ...rest } = change;
  const given: Partial<TokenInput> = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  checkInput(deps, owner, { ...given, ...(remain === undefined ? {} : { remain_quota: remain }) });
  return changeToken(deps, owner, id, async (tx, now, row) => {
    const columns = ownerColumns({ ...inputOf(row), ...given });
    await tx.query.updateTable('token').set(columns).where('id', '=', id).execute();
    const left = await tx.perform(setTokenQuota(id, { remain, unlimited, seenRemain }, now));
    if (remain !== undefined && left !== undefined && left > maxQuota) throw new PublicError('parameter_error');
  });
}

async function setStatus(deps: TokenDeps, owner: Owner, id: number, status: number): Promise<Token> {
  if (status !== tokenStatus.enabled && status !== tokenStatus.disabled) throw new PublicError('parameter_error');
  return changeToken(deps, owner, id, async (tx, now, row) => {
    const fault = status === tokenStatus.enabled ? enableFault(stateOf(row), now) : undefined;
    if (fault !== undefined) throw new PublicError(fault);
    await tx.query.updateTable('token').set({ status }).where('id', '=', id).execute();
  });
}

function stateOf(row: TokenRow) {
  return {
    status: row.status,
    expiredAt: row.expired_at,
    unlimited: row.unlimited_quota === 1,
    remainQuota: row.remain_quota,
  };
}

async function rotateToken(deps: TokenDeps, owner: Owner, id: number): Promise<Token> {
  const key = newTokenKey();
  const keyHmac = deps.crypto.hmac('token-key', key);
  return changeToken(deps, owner, id, async (tx) => {
    const sealed = deps.crypto.seal(key, sealBinding(owner.id, keyHmac));
    await tx.query.updateTable('token').set({ key_hmac: keyHmac, key_sealed: sealed }).where('id', '=', id).execute();
  });
}

async function removeToken(deps: TokenDeps, owner: Owner, id: number): Promise<void> {
  await changeToken(deps, owner, id, async (tx, now) => {
    await tx.query.updateTable('token').set({ deleted_at: now }).where('id', '=', id).execute();
  });
}

type TokenWrite = (tx: Transaction, now: number, row: TokenRow) => Promise<void>;

/** One owner-checked write with its change row; answers the token as it is afterwards. */
async function changeToken(deps: TokenDeps, owner: Owner, id: number, write: TokenWrite): Promise<Token> {
  const now = nowSeconds(deps.clock);
  const row = await deps.db.transaction(async (tx) => {
    // A write that changes nothing locks the row and reads it, in the SQL both engines share.
    const before = await tx.query
      .updateTable('token')
      .set((column) => ({ name: column.ref('name') }))
      .where('id', '=', id)
      .where('user_id', '=', owner.id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (before === undefined) throw new PublicError('token_not_found');
    await write(tx, now, before);
    await tx.perform(notifyChange('token', String(id), now));
    return tx.query.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  });
  deps.changes.notify();
  return toToken(row, deps.crypto);
}
