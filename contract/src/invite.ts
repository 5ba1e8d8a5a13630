import * as z from 'zod/mini';
import { countedPage } from './fields.ts';
import { data, defineRoute, type PageOf, type StreamAnswer } from './route.ts';

/** What the wallet page shows of invitations. */
export interface InviteInfo {
  code: string;
  /** Path and query of the registration page; the console puts its own address before it. */
  path: string;
  /** Users who came by the code. */
  count: number;
  /** Earned and not moved to the balance yet. */
  quota: number;
  history_quota: number;
  /** Rewards that wait for a condition or a day. */
  waiting_quota: number;
  /** Of paid rebates whose payments were given back, what is still taken from later rewards. */
  owed_quota: number;
  /** What one invitation brings, and to whom. */
  inviter_reward: number;
  invitee_reward: number;
  /** Percent of what an invited user pays. */
  rebate_percent: number;
}

const rewardStates = ['waiting', 'paid', 'void'] as const;
export type RewardState = (typeof rewardStates)[number];

/** Somebody who came by the caller's code, with a masked name. */
export interface InviteRecord {
  id: number;
  username: string;
  created_time: number;
  /** Rewards for the registration and for payments, together. */
  paid_quota: number;
  waiting_quota: number;
}

/** One reward: for a registration by the caller's code, or for a payment of that user. */
export interface RewardRecord {
  id: number;
  kind: 'register' | 'rebate';
  user_id: number;
  /** Masked. */
  username: string;
  /** Quota. */
  amount: number;
  /** How much of it is gone, because the payment was given back: taken out of the earnings, as far as they are there. */
  reversed: number;
  /** `void`: the payment was taken back, one of both is gone, or the rules refused it. */
  state: RewardState;
  /** When it is paid: 0 = at once, -1 = with the user's first payment. Put off while one of both is disabled. */
  due_at: number;
  created_at: number;
}

const rewardFilters = { state: z._default(z.enum(['', ...rewardStates]), '') };
const rewardQuery = z.object({ ...countedPage, ...rewardFilters });
export type RewardQuery = z.infer<typeof rewardQuery>;

export const inviteRoutes = {
  info: defineRoute({ method: 'GET', path: '/api/user/aff/info', access: 'user', data: data<InviteInfo>() }),
  records: defineRoute({
    method: 'GET',
    path: '/api/user/aff/records',
    access: 'user',
    query: z.object(countedPage),
    data: data<PageOf<InviteRecord>>(),
  }),
  /** Single rewards, newest first. */
  rewards: defineRoute({
    method: 'GET',
    path: '/api/user/aff/rewards',
    access: 'user',
    query: rewardQuery,
    data: data<PageOf<RewardRecord>>(),
  }),
  /** The same as CSV, all rows. */
  rewardsExport: defineRoute({
    method: 'GET',
    path: '/api/user/aff/rewards/export',
    access: 'user',
    query: z.object(rewardFilters),
    data: data<StreamAnswer>(),
  }),
} as const;
