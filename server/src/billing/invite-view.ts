import type { InviteInfo, InviteRecord, PageOf } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { affiliateBalances } from './affiliate.ts';
import type { WalletDeps } from './wallet-deps.ts';

/** What users see of their own invitations. */
export interface Invites {
  /** `code`: the caller's own. */
  info(userId: number, code: string): Promise<InviteInfo>;
  /** Newest first, with masked names. */
  records(userId: number, paging: { p: number; page_size: number }): Promise<PageOf<InviteRecord>>;
}

export function createInvites({ db, options }: WalletDeps): Invites {
  return {
    async info(userId, code) {
      const { QuotaForInviter, QuotaForInvitee, InviteRebatePercent } = options();
      const columns = ['aff_count', 'aff_history_quota'] as const;
      const user = await db.read.selectFrom('users').select(columns).where('id', '=', userId).executeTakeFirst();
      const waiting = await db.read
        .selectFrom('invite_reward')
        .select((sum) => sum.fn.sum<number | string | null>('amount').as('total'))
        .where('inviter_id', '=', userId)
        .where('state', '=', 'waiting')
        .executeTakeFirst();
      return {
        code,
        path: `/register?aff=${code}`,
        count: user?.aff_count ?? 0,
        quota: (await affiliateBalances(db.read, [userId])).get(userId) ?? 0,
        history_quota: user?.aff_history_quota ?? 0,
        waiting_quota: Number(waiting?.total ?? 0),
        inviter_reward: QuotaForInviter,
        invitee_reward: QuotaForInvitee,
        rebate_percent: InviteRebatePercent,
      };
    },
    async records(userId, { p, page_size: size }) {
      const rows = db.read.selectFrom('users').where('inviter_id', '=', userId);
      const counted = await rows.select((count) => count.fn.countAll<number | string>().as('total')).executeTakeFirst();
      const users = await rows
        .select(['id', 'username', 'created_at'])
        .orderBy('id', 'desc')
        .limit(size)
        .offset((p - 1) * size)
        .execute();
      const sums = await rewardSums(
        db.read,
        users.map(({ id }) => id),
      );
      const items = users.map(({ id, username, created_at: at }) => ({
        id,
        username: masked(username),
        created_time: at,
        paid_quota: sums.get(`${id} paid`) ?? 0,
        waiting_quota: sums.get(`${id} waiting`) ?? 0,
      }));
      return { items, page: p, page_size: size, total: Number(counted?.total ?? 0) };
    },
  };
}

/** By invited user and state. */
async function rewardSums(read: Kysely<Schema>, invitees: readonly number[]): Promise<ReadonlyMap<string, number>> {
  if (invitees.length === 0) return new Map();
  const rows = await read
    .selectFrom('invite_reward')
    .select(['invitee_id', 'state', (sum) => sum.fn.sum<number | string>('amount').as('total')])
    .where('invitee_id', 'in', [...invitees])
    .groupBy(['invitee_id', 'state'])
    .execute();
  return new Map(rows.map(({ invitee_id: id, state, total }) => [`${id} ${state}`, Number(total)]));
}

/** `alice` -> `a***e`: enough to know a friend, too little to know a stranger. */
function masked(name: string): string {
  const letters = [...name];
  const last = letters.length > 2 ? letters.at(-1) : '';
  return `${letters[0] ?? ''}***${last}`;
}
