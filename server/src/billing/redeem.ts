import { randomBytes } from 'node:crypto';
import {
  type CodeCampaign,
  type ErrorCode,
  logType,
  maxRedemptionsPerBatch,
  type Redemption,
  type RedemptionInput,
  redemptionStatus,
} from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { type Actor, changesBetween, recordAudit } from '../audit/index.ts';
import { cautiousClock, nowSeconds } from '../platform/clock.ts';
import { openedOrNone } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { nameKey } from '../platform/name-key.ts';
import { formatLogQuota } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { beginsWith } from '../storage/like.ts';
import { lockName } from '../storage/name-lock.ts';
import { type ListPage, rowsOf } from '../storage/page.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import type { RedemptionTable } from '../storage/schema.ts';
import { logBalanceChange } from '../usage/index.ts';
import { transfer } from './accounts.ts';
import { disableCodes, removeInvalidCodes, setTermsOf } from './redeem-bulk.ts';
import { codeCampaigns } from './redeem-campaigns.ts';
import { isOpen, isShownAs } from './redeem-validity.ts';
import { hasOwner } from './topup-settle.ts';
import type { Payer, WalletDeps } from './wallet-deps.ts';

interface RedemptionQuery extends ListPage {
  /** '' = every code. */
  keyword: string;
  /** One of `shownRedemptionStatus`; 0 = any. */
  status: number;
}

/** Codes that give their quota to whoever redeems them first. Unknown ids throw PublicError `redemption_not_found`. */
export interface Redemptions {
  /** One page of those whose id or code the keyword is, or whose name starts with it, newest first. */
  find(query: RedemptionQuery): Promise<Redemption[]>;
  get(id: number): Promise<Redemption>;
  /** One page of sums by name, of names that begin with the keyword, the newest first. */
  campaigns(query: ListPage & { keyword: string }): Promise<CodeCampaign[]>;
  /** Throws PublicError with the texts of contract 1.9. Answers the codes. */
  create(actor: Actor, input: RedemptionInput): Promise<string[]>;
  /** Throws PublicError `redemption_used`: what was redeemed does not change; `redemption_expiry_past`. */
  update(actor: Actor, change: CodeChange): Promise<Redemption>;
  setStatus(actor: Actor, id: number, status: number): Promise<Redemption>;
  /** Switches off those of them that nobody has used; answers how many. */
  disable(actor: Actor, ids: readonly number[]): Promise<number>;
  remove(actor: Actor, id: number): Promise<void>;
  /** Deletes all codes that nobody can redeem; answers how many. */
  removeInvalid(actor: Actor): Promise<number>;
  /** Gives the code's quota to the user, exactly once; answers it. Throws PublicError with the texts of contract 8.1, `user_deleted`. */
  redeem(user: Payer, key: string): Promise<number>;
}

type CodeChange = Pick<Redemption, 'id' | 'name' | 'quota'> & {
  expired_time?: number | undefined;
  per_user?: number | undefined;
  /** Whether the terms go to all codes of the name that nobody has used. */
  whole_campaign?: boolean | undefined;
};
type Row = Selectable<RedemptionTable>;
const longestName = 20;

export function createRedemptions(deps: WalletDeps): Redemptions {
  const rows = (read = deps.db.read) =>
    read.selectFrom('redemption').selectAll().where('deleted_at', 'is', null).orderBy('id', 'desc').$castTo<Row>();
  const shown = (row: Row): Redemption => view(deps, row);
  const cautious = cautiousClock(deps.clock);
  return {
    async find({ keyword, status, ...pages }) {
      const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0;
      const code = keyword.toLowerCase();
      const isCode = isRedemptionCode(code);
      // What meets few may be looked for among hundreds of thousands.
      let found = rows(isCode || (keyword === '' && status <= 0) ? deps.db.read : deps.db.analyse);
      // No name is as long as a code.
      if (isCode) found = found.where('key_hmac', '=', deps.crypto.hmac('redemption', code));
      else if (keyword !== '') found = found.where((where) => where.or([where('id', '=', id), beginsWith('name', keyword)]));
      if (status > 0) found = found.where((where) => isShownAs(where, status, nowSeconds(deps.clock)));
      const { limit, offset } = rowsOf(pages);
      return (await found.limit(limit).offset(offset).execute()).map(shown);
    },
    async get(id) {
      const row = await rows().where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('redemption_not_found');
      return shown(row);
    },
    campaigns: (query) => codeCampaigns(deps.db, { ...query, now: nowSeconds(deps.clock) }),
    create: (actor, input) => create(deps, actor, input),
    async update(actor, { id, name, quota, expired_time: expiresAt, per_user: perUser, whole_campaign: isForAll }) {
      checkName(name);
      const terms = {
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
        ...(perUser !== undefined && { per_user: perUser }),
      };
      if (!isForAll) return edit(deps, actor, id, { name, quota, ...terms });
      checkExpiry(expiresAt ?? 0, nowSeconds(deps.clock));
      const before = await rows().where('id', '=', id).executeTakeFirst();
      const code = await edit(deps, actor, id, { name, quota, ...terms });
      const own = { expires_at: code.expired_time, per_user: code.per_user };
      await setTermsOf(deps, actor, before?.name ?? name, own);
      return code;
    },
    setStatus: (actor, id, status) => edit(deps, actor, id, { status }),
    disable: (actor, ids) => disableCodes(deps, actor, ids),
    async remove(actor, id) {
      const now = nowSeconds(deps.clock);
      await deps.db.transaction(async (tx) => {
        const detail = await tx.query
          .updateTable('redemption')
          .set({ deleted_at: now })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .returning(['name', 'quota', 'status'])
          .executeTakeFirst();
        if (detail === undefined) throw new PublicError('redemption_not_found');
        await tx.perform(recordAudit({ actor, action: 'redemption.delete', target: `redemption:${id}`, detail, now }));
      });
    },
    removeInvalid: (actor) => removeInvalidCodes(deps, actor, nowSeconds(cautious)),
    redeem: (user, key) => redeem(deps, user, key),
  };
}

function view({ crypto }: WalletDeps, row: Row): Redemption {
  return {
    id: row.id,
    user_id: row.user_id,
    key: openedOrNone(crypto, row.key_sealed, redemptionBinding(row.key_hmac)),
    status: row.status,
    name: row.name,
    quota: row.quota,
    created_time: row.created_at,
    redeemed_time: row.redeemed_at,
    count: 0,
    used_user_id: row.used_user_id,
    expired_time: row.expires_at,
    per_user: row.per_user,
    DeletedAt: null,
  };
}

/** Where a sealed code belongs. */
export function redemptionBinding(hmac: string): string {
  return `redemption/key/${hmac}`;
}

/** Where the codes lie sealed. */
export const sealedCodes: SealedColumn = {
  table: 'redemption',
  key: 'id',
  column: 'key_sealed',
  reads: ['key_hmac'],
  binding: ({ key_hmac }) => redemptionBinding(String(key_hmac)),
};

function checkName(name: string): void {
  const length = [...name].length;
  if (length < 1 || length > longestName) throw new PublicError('redemption_name_length');
}

function checkExpiry(expiresAt: number, now: number): void {
  if (expiresAt !== 0 && expiresAt <= now) throw new PublicError('redemption_expiry_past');
}

async function create({ db, crypto, clock }: WalletDeps, actor: Actor, input: RedemptionInput): Promise<string[]> {
  const { name, quota, count, expired_time: expiresAt = 0, per_user: perUser = 0 } = input;
  checkName(name);
  if (count < 1) throw new PublicError('redemption_count_low');
  if (count > maxRedemptionsPerBatch) throw new PublicError('redemption_count_high');
  const now = nowSeconds(clock);
  checkExpiry(expiresAt, now);
  const terms = { expires_at: expiresAt, per_user: perUser };
  const keys = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
  const rows = keys.map((key) => {
    const hmac = crypto.hmac('redemption', key);
    const sealed = { key_hmac: hmac, key_sealed: crypto.seal(key, redemptionBinding(hmac)) };
    return {
      ...sealed,
      user_id: actor.id,
      status: redemptionStatus.unused,
      name,
      quota,
      created_at: now,
      deleted_at: null,
      ...terms,
    };
  });
  await db.transaction(async (tx) => {
    const made = await tx.query.insertInto('redemption').values(rows).returning('id').execute();
    const told = Object.fromEntries(Object.entries(terms).filter(([, value]) => value > 0));
    const detail = { name, quota, count, ...told, ids: made.map(({ id }) => id) };
    await tx.perform(recordAudit({ actor, action: 'redemption.create', target: `redemption:${name}`, detail, now }));
  });
  return keys;
}

type Change = Partial<Pick<Row, 'name' | 'quota' | 'status' | 'expires_at' | 'per_user'>>;

async function edit(deps: WalletDeps, actor: Actor, id: number, change: Change): Promise<Redemption> {
  const now = nowSeconds(deps.clock);
  return deps.db.transaction(async (tx) => {
    // A write that changes nothing locks the row and reads it, in the SQL both engines share.
    const before = await tx.query
      .updateTable('redemption')
      .set((column) => ({ name: column.ref('name') }))
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (before === undefined) throw new PublicError('redemption_not_found');
    if (before.status === redemptionStatus.used) throw new PublicError('redemption_used');
    const { expires_at: expiresAt = before.expires_at } = change;
    if (expiresAt !== before.expires_at) checkExpiry(expiresAt, now);
    await tx.query.updateTable('redemption').set(change).where('id', '=', id).execute();
    const detail = changesBetween(before, change);
    if (Object.keys(detail).length > 0) {
      await tx.perform(recordAudit({ actor, action: 'redemption.update', target: `redemption:${id}`, detail, now }));
    }
    return view(deps, { ...before, ...change });
  });
}

/** How a code looks, in lower case. */
export function isRedemptionCode(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

async function redeem(deps: WalletDeps, user: Payer, key: string): Promise<number> {
  const code = key.toLowerCase();
  if (code === '') throw new PublicError('redeem_key_missing');
  if (!isRedemptionCode(code)) throw new PublicError('redeem_unknown');
  const hmac = deps.crypto.hmac('redemption', code);
  const now = nowSeconds(deps.clock);
  const quota = await deps.db.transaction(async (tx) => {
    // One code of a user after the other, so that codes at once do not all find the same room.
    await lockName(deps.db, tx, `redeem:${user.id}`);
    if (!(await hasOwner(tx, user.id))) throw new PublicError('user_deleted');
    const row = await tx.query
      .updateTable('redemption')
      .set({ status: redemptionStatus.used, redeemed_at: now, used_user_id: user.id })
      .where('key_hmac', '=', hmac)
      .where((where) => isOpen(where, now))
      .where('deleted_at', 'is', null)
      .returning(['id', 'quota', 'name', 'per_user'])
      .executeTakeFirst();
    if (row === undefined) throw new PublicError(await whyNot(tx, hmac, user));
    await checkLimit(tx, user, row);
    await book(tx, deps, user, { ...row, now });
    return row.quota;
  });
  deps.changes.notify();
  return quota;
}

/** Whoever comes again, as after an answer that was lost on the way, is told that it was done. */
async function whyNot(tx: Transaction, hmac: string, user: Payer): Promise<ErrorCode> {
  const row = await tx.query
    .selectFrom('redemption')
    .select(['used_user_id', 'status'])
    .where('key_hmac', '=', hmac)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return 'redeem_unknown';
  if (row.status === redemptionStatus.unused) return 'redeem_expired';
  return row.used_user_id === user.id ? 'redeem_used_own' : 'redeem_used';
}

/** Of its campaign, this one included; also those that were deleted since. Throws PublicError `redeem_limit`. */
async function checkLimit(tx: Transaction, user: Payer, { name, per_user: max }: Pick<Row, 'name' | 'per_user'>): Promise<void> {
  if (max === 0) return;
  const used = tx.query.selectFrom('redemption').where('used_user_id', '=', user.id);
  const names = await used.where('status', '=', redemptionStatus.used).select('name').execute();
  if (names.filter((each) => nameKey(each.name) === nameKey(name)).length > max) throw new PublicError('redeem_limit', { max });
}

async function book(
  tx: Transaction,
  deps: WalletDeps,
  user: Payer,
  { id, quota, now }: { id: number; quota: number; now: number },
): Promise<void> {
  const movement = { from: 'redeem', to: `user:${user.id}`, amount: quota, kind: 'redeem', ref: `redeem:${id}` } as const;
  await tx.perform(transfer({ ...movement, userId: user.id, actorId: user.id, now, note: '' }));
  const content = `通过兑换码充值 ${formatLogQuota(quota, deps.options())}，兑换码ID ${id}`;
  await logBalanceChange(tx, { type: logType.topup, userId: user.id, username: user.username, now, content });
  const actor = { id: user.id, username: user.username, ip: user.ip };
  await tx.perform(recordAudit({ actor, action: 'redemption.use', target: `redemption:${id}`, detail: { quota }, now }));
}
