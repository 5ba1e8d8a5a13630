import { type AgentApplication, type AgentReview, agentStatus, role } from '@tollgate/contract';
import { type Actor, changesBetween, recordAudit } from '../audit/index.ts';
import { decimalToNano, nanoToNumber } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import type { Reviewer } from './deps.ts';

const phoneForm = /^\+?\d[\d\s()-]{4,31}$/;
const mailForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * Stores an application, also after a rejection. Throws PublicError `agent_apply_closed`, `agent_contact_missing`,
 * `agent_phone_invalid`, `email_invalid`, `agent_applied`, `agent_exists`, `agent_suspended`.
 */
export async function storeApplication(
  tx: Transaction,
  actor: Actor,
  { application, options, now }: { application: AgentApplication; options: Options; now: number },
): Promise<void> {
  if (!options.AgentApplyEnabled) throw new PublicError('agent_apply_closed');
  checkContact(application);
  const fields = { ...application, status: agentStatus.applied, updated_at: now };
  const stored = await tx.query
    .insertInto('agent')
    .values({ user_id: actor.id, created_at: now, rate_nano: null, ...fields })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ ...fields, review_note: '', reviewer_id: 0 })
        .where('agent.status', '=', agentStatus.rejected),
    )
    .returning('user_id')
    .executeTakeFirst();
  if (stored === undefined) throw await whyNotAccepted(tx, actor.id);
  await tx.perform(recordAudit({ actor, action: 'agent.apply', target: `user:${actor.id}`, now }));
}

function checkContact({ contact_name: name, contact_phone: phone, contact_email: mail }: AgentApplication): void {
  if (name === '' || (phone === '' && mail === '')) throw new PublicError('agent_contact_missing');
  if (phone !== '' && !phoneForm.test(phone)) throw new PublicError('agent_phone_invalid');
  if (mail !== '' && !mailForm.test(mail)) throw new PublicError('email_invalid');
}

async function whyNotAccepted(tx: Transaction, userId: number): Promise<PublicError> {
  const row = await tx.query.selectFrom('agent').select('status').where('user_id', '=', userId).executeTakeFirst();
  if (row?.status === agentStatus.applied) return new PublicError('agent_applied');
  return new PublicError(row?.status === agentStatus.suspended ? 'agent_suspended' : 'agent_exists');
}

/** From which states a status is reached; the same status again only edits the other fields. */
const reachedFrom: Readonly<Record<number, readonly number[]>> = {
  [agentStatus.active]: [agentStatus.applied, agentStatus.active, agentStatus.rejected, agentStatus.suspended],
  [agentStatus.rejected]: [agentStatus.applied, agentStatus.rejected],
  [agentStatus.suspended]: [agentStatus.active, agentStatus.suspended],
};

export interface Review {
  /** Whose agency. */
  userId: number;
  change: AgentReview;
  reviewer: Reviewer;
  now: number;
}

/**
 * Decides about an agency, or edits it; a user who never applied becomes an agent by status 1. Throws PublicError
 * `agent_not_found`, `agent_status_changed`, `agent_rate_invalid`, `user_level_write`.
 */
export async function storeReview(tx: Transaction, { userId, change, reviewer, now }: Review): Promise<void> {
  const { status, seen_status: seen, commission_rate: rate, ...texts } = change;
  const rateNano = rate === undefined || rate === null ? rate : rateOf(rate);
  const level = await levelOf(tx, userId);
  if (level === undefined) throw new PublicError('agent_not_found');
  checkLevel(level, reviewer);
  // A write that changes nothing locks the row and reads it, in the SQL both engines share.
  const before = await tx.query
    .updateTable('agent')
    .set((column) => ({ status: column.ref('status') }))
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  if (status === agentStatus.active) await appoint(tx, userId, now);
  const given = Object.fromEntries(
    Object.entries({ status, rate_nano: rateNano, ...texts }).filter(([, value]) => value !== undefined),
  );
  let row = tx.query
    .updateTable('agent')
    .set({ ...given, ...(status === undefined ? {} : { reviewer_id: reviewer.id }), updated_at: now })
    .where('user_id', '=', userId);
  if (status !== undefined) row = row.where('status', 'in', reachedFrom[status] ?? []);
  if (seen !== undefined) row = row.where('status', '=', seen);
  const { numUpdatedRows } = await row.executeTakeFirst();
  if (numUpdatedRows === 0n) throw await whyNotReviewed(tx, userId);
  const detail = changesBetween(shown(before ?? {}), shown(given));
  await tx.perform(recordAudit({ actor: reviewer, action: 'agent.review', target: `user:${userId}`, detail, now }));
}

/** Six decimals, so that what is shown is what is counted with. */
function rateOf(rate: number): number {
  const scaled = decimalToNano(rate);
  if (scaled === undefined || scaled > 1_000_000_000 || scaled % 1000 !== 0) throw new PublicError('agent_rate_invalid');
  return scaled;
}

/** For the audit log; the rate as people write it. */
function shown({ rate_nano: rate, ...others }: { rate_nano?: unknown }): object {
  return rate === undefined ? others : { ...others, commission_rate: typeof rate === 'number' ? nanoToNumber(rate) : rate };
}

async function appoint(tx: Transaction, userId: number, now: number): Promise<void> {
  await tx.query
    .insertInto('agent')
    .values({ user_id: userId, status: agentStatus.active, rate_nano: null, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
}

async function whyNotReviewed(tx: Transaction, userId: number): Promise<PublicError> {
  const row = await tx.query.selectFrom('agent').select('user_id').where('user_id', '=', userId).executeTakeFirst();
  return new PublicError(row === undefined ? 'agent_not_found' : 'agent_status_changed');
}

/** The role of a user; undefined when the row was removed for good. */
export async function levelOf(tx: Transaction, userId: number): Promise<number | undefined> {
  const user = await tx.query.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst();
  return user?.role;
}

/** Nobody decides about the own agency or one of the same level, except root. Throws PublicError `user_level_write`. */
export function checkLevel(level: number, reviewer: Reviewer): void {
  if (reviewer.role !== role.root && reviewer.role <= level) throw new PublicError('user_level_write');
}
