import type { InviteInfo, InviteRecord, PageOf, RewardQuery, RewardRecord, RewardState } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import { type CsvColumn, csvOf, csvTime } from '../platform/csv.ts';
import { masked } from '../platform/masked.ts';
import { pageOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import { affiliateBalances } from './affiliate.ts';
import type { WalletDeps } from './wallet-deps.ts';

/** What users see of their own invitations. */
export interface Invites {
  /** `code`: the caller's own. */
  info(userId: number, code: string): Promise<InviteInfo>;
  /** Newest first, with masked names. */
  records(userId: number, paging: { p: number; page_size: number }): Promise<PageOf<InviteRecord>>;
  /** Single rewards, newest first, with masked names. */
  rewards(userId: number, query: RewardQuery): Promise<PageOf<RewardRecord>>;
  rewardsCsv(userId: number, filter: Pick<RewardQuery, 'state'>): AsyncGenerator<string>;
}

export function createInvites({ db, options }: WalletDeps): Invites {
  return {
    async info(userId, code) {
      const { QuotaForInviter, QuotaForInvitee, InviteRebatePercent } = options();
      const columns = ['aff_count', 'aff_history_quota'] as const;
      const user = await db.read.selectFrom('users').select(columns).where('id', '=', userId).executeTakeFirst();
      const sums = await rewardTotals(db.read, userId);
      return {
        code,
        path: `/register?aff=${code}`,
        count: user?.aff_count ?? 0,
        quota: (await affiliateBalances(db.read, [userId])).get(userId) ?? 0,
        history_quota: user?.aff_history_quota ?? 0,
        waiting_quota: sums.waiting,
        owed_quota: sums.owed,
        inviter_reward: QuotaForInviter,
        invitee_reward: QuotaForInvitee,
        rebate_percent: InviteRebatePercent,
      };
    },
    records: (userId, query) =>
      pageOf(db.read, db.read.selectFrom('users').where('inviter_id', '=', userId), query, async (page) => {
        const users = await page.select(['id', 'username', 'created_at']).orderBy('id', 'desc').execute();
        const sums = await rewardSums(
          db.read,
          users.map(({ id }) => id),
        );
        return users.map(({ id, username, created_at: at }) => ({
          id,
          username: masked(username),
          created_time: at,
          paid_quota: sums.get(`${id} paid`) ?? 0,
          waiting_quota: sums.get(`${id} waiting`) ?? 0,
        }));
      }),
    rewards: (userId, query) => pageOf(db.read, rewardsOf(db.read, userId, query.state), query, readRewards),
    rewardsCsv: (userId, { state }) =>
      csvOf(rewardColumns, ({ before, limit }) =>
        readRewards(rewardsOf(db.read, userId, state).where('invite_reward.id', '<', before).limit(limit)),
      ),
  };
}

const rewardColumns: readonly CsvColumn<RewardRecord>[] = [
  ['id', (row) => row.id],
  ['time', (row) => csvTime(row.created_at)],
  ['kind', (row) => row.kind],
  ['user_id', (row) => row.user_id],
  ['username', (row) => row.username],
  ['quota', (row) => row.amount],
  ['reversed', (row) => row.reversed],
  ['state', (row) => row.state],
  ['due', (row) => csvTime(Math.max(0, row.due_at))],
];

function rewardsOf(read: Kysely<Schema>, userId: number, state: RewardQuery['state']) {
  const rows = read
    .selectFrom('invite_reward')
    .leftJoin('users', 'users.id', 'invite_reward.invitee_id')
    .where('invite_reward.inviter_id', '=', userId);
  return state === '' ? rows : rows.where('invite_reward.state', '=', state);
}

async function readRewards(rows: ReturnType<typeof rewardsOf>): Promise<RewardRecord[]> {
  const found = await rows.selectAll('invite_reward').select('users.username').orderBy('invite_reward.id', 'desc').execute();
  return found.map((row) => ({
    id: row.id,
    kind: row.kind === 'rebate' ? 'rebate' : 'register',
    user_id: row.invitee_id,
    username: masked(row.username ?? ''),
    amount: row.amount,
    reversed: row.reversed,
    state: row.state as RewardState,
    due_at: row.due_at,
    created_at: row.created_at,
  }));
}

/** What waits, and what was paid and is to go back. */
async function rewardTotals(read: Kysely<Schema>, inviterId: number): Promise<{ waiting: number; owed: number }> {
  const rows = await read
    .selectFrom('invite_reward')
    .select(({ fn }) => [
      'state',
      fn.sum<number | string>('amount').as('amount'),
      fn.sum<number | string>('reversed').as('reversed'),
      fn.sum<number | string>('returned').as('returned'),
    ])
    .where('inviter_id', '=', inviterId)
    .where('state', 'in', ['waiting', 'paid'])
    .groupBy('state')
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state);
  const [waiting, paid] = [of('waiting'), of('paid')];
  return {
    waiting: Number(waiting?.amount ?? 0) - Number(waiting?.reversed ?? 0),
    owed: Number(paid?.reversed ?? 0) - Number(paid?.returned ?? 0),
  };
}

/** By invited user and state; what is to go back does not count. */
async function rewardSums(read: Kysely<Schema>, invitees: readonly number[]): Promise<ReadonlyMap<string, number>> {
  if (invitees.length === 0) return new Map();
  const rows = await read
    .selectFrom('invite_reward')
    .select(({ fn }) => [
      'invitee_id',
      'state',
      fn.sum<number | string>('amount').as('amount'),
      fn.sum<number | string>('reversed').as('reversed'),
    ])
    .where('invitee_id', 'in', [...invitees])
    .groupBy(['invitee_id', 'state'])
    .execute();
  return new Map(
    rows.map(({ invitee_id: id, state, amount, reversed }) => [`${id} ${state}`, Number(amount) - Number(reversed)]),
  );
}
