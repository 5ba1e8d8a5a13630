import { redemptionStatus } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { spellingsOf } from './redeem-campaigns.ts';
import { isOpen } from './redeem-validity.ts';
import type { WalletDeps } from './wallet-deps.ts';

/** Switches off those of them that nobody has used; answers how many. */
export async function disableCodes({ db, clock }: WalletDeps, actor: Actor, ids: readonly number[]): Promise<number> {
  const now = nowSeconds(clock);
  return db.transaction(async (tx) => {
    const withdrawn = await tx.query
      .updateTable('redemption')
      .set({ status: redemptionStatus.disabled })
      .where('id', 'in', ids)
      .where('deleted_at', 'is', null)
      .where('status', '=', redemptionStatus.unused)
      .returning(['id', 'quota'])
      .execute();
    if (withdrawn.length === 0) return 0;
    const detail = { status: redemptionStatus.disabled, ...summed(withdrawn) };
    await tx.perform(recordAudit({ actor, action: 'redemption.update', target: 'redemption:batch', detail, now }));
    return withdrawn.length;
  });
}

/** Changed in one transaction, with an audit row that names them: calls wait for as long as that takes (decision 0080). */
const codesPerTransaction = 1_000;

/** Gives the codes of this campaign that nobody has used these terms. Part by part; what was cut off is completed by the same call. */
export async function setTermsOf(
  { db, clock }: WalletDeps,
  actor: Actor,
  name: string,
  terms: { expires_at: number; per_user: number },
): Promise<void> {
  const now = nowSeconds(clock);
  const names = await spellingsOf(db, name);
  for (let last = 0; ; ) {
    const open = db.read.selectFrom('redemption').select('id').where('id', '>', last).where('name', 'in', names);
    const unused = open.where('deleted_at', 'is', null).where('status', '=', redemptionStatus.unused);
    const part = (await unused.orderBy('id').limit(codesPerTransaction).execute()).map(({ id }) => id);
    const end = part.at(-1);
    if (end === undefined) return;
    await db.transaction(async (tx) => {
      const changed = await tx.query
        .updateTable('redemption')
        .set(terms)
        .where('id', 'in', part)
        .where('name', 'in', names)
        .where('deleted_at', 'is', null)
        .where('status', '=', redemptionStatus.unused)
        .where(({ or, eb }) => or([eb('expires_at', '!=', terms.expires_at), eb('per_user', '!=', terms.per_user)]))
        .returning(['id', 'quota'])
        .execute();
      if (changed.length === 0) return;
      const detail = { ...terms, ...summed(changed) };
      await tx.perform(recordAudit({ actor, action: 'redemption.update', target: `redemption:${name}`, detail, now }));
    });
    last = end;
  }
}

/**
 * Deletes all codes that nobody can redeem, of those with an end what ended by `due`; answers how many. Part by part, each
 * whole; what was cut off in between is completed by the same call.
 */
export async function removeInvalidCodes({ db, clock }: WalletDeps, actor: Actor, due: number): Promise<number> {
  const at = { now: nowSeconds(clock), due };
  let removed = 0;
  for (let last = 0; ; ) {
    const part = await invalidAfter(db.read, last, due);
    const end = part.at(-1);
    if (end === undefined) return removed;
    removed += await db.transaction((tx) => removePart(tx, part, actor, at));
    last = end;
  }
}

/** The next ids of codes that nobody can redeem. */
async function invalidAfter(read: Database['read'], last: number, due: number): Promise<number[]> {
  const rows = read.selectFrom('redemption').select('id').where('id', '>', last).where('deleted_at', 'is', null);
  const invalid = rows.where((where) => where.not(isOpen(where, due)));
  return (await invalid.orderBy('id').limit(codesPerTransaction).execute()).map(({ id }) => id);
}

/** Those that are still invalid: somebody may have switched one on again. */
async function removePart(
  tx: Transaction,
  part: readonly number[],
  actor: Actor,
  { now, due }: { now: number; due: number },
): Promise<number> {
  const gone = await tx.query
    .updateTable('redemption')
    .set({ deleted_at: now })
    .where('id', 'in', part)
    .where('deleted_at', 'is', null)
    .where((where) => where.not(isOpen(where, due)))
    .returning(['id', 'quota', 'status'])
    .execute();
  if (gone.length === 0) return 0;
  const of = (wanted: number) => summed(gone.filter(({ status }) => status === wanted));
  const expired = of(redemptionStatus.unused);
  const parts = {
    used: of(redemptionStatus.used),
    disabled: of(redemptionStatus.disabled),
    ...(expired.count > 0 && { expired }),
  };
  const detail = { count: gone.length, ...parts };
  await tx.perform(recordAudit({ actor, action: 'redemption.delete', target: 'redemption:invalid', detail, now }));
  return gone.length;
}

function summed(codes: readonly { id: number; quota: number }[]) {
  const ids = codes.map(({ id }) => id).sort((left, right) => left - right);
  return { count: ids.length, quota: codes.reduce((sum, { quota }) => sum + quota, 0), ids };
}
