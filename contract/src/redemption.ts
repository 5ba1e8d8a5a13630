import * as z from 'zod/mini';
import { keyword, latestTime, listPage, longSearchPage, mostAmount, numberFilter, optionalFlag, rowId } from './fields.ts';
import { data, defineRoute } from './route.ts';

/** A redemption code as administrators read it (contract 1.9). `key` has 32 hex characters. */
export interface Redemption {
  id: number;
  /** Who made it. */
  user_id: number;
  key: string;
  status: number;
  name: string;
  quota: number;
  created_time: number;
  /** 0 = not yet. */
  redeemed_time: number;
  /** Only means something where codes are made; 0 in answers. */
  count: number;
  used_user_id: number;
  /** From then on nobody can redeem it; 0 = never. */
  expired_time: number;
  /** How many codes of its name one user may redeem; 0 = any number. */
  per_user: number;
  DeletedAt: string | null;
}

/** What became of the codes of one name, deleted ones included: `made` is the sum of the next four. */
export interface CodeCampaign {
  name: string;
  made: number;
  redeemed: number;
  /** Switched off, or deleted before anybody used them. */
  withdrawn: number;
  expired: number;
  /** Can still be redeemed. */
  open: number;
  /** How many different users redeemed one. */
  users: number;
  quota_given: number;
  /** What `open` are worth. */
  quota_open: number;
  /** Of the first of them. */
  created_time: number;
}

/** Its length is judged by the service, which has a text for it. */
const name = z._default(z.string().check(z.trim(), z.maxLength(1024)), '');
/** 2 billion dollars: far above any code, far below where sums leave the safe integers. */
const codeQuota = z.number().check(z.int(), z.minimum(1), z.maximum(mostAmount));

/** Absent = 0 for a new code, and as it was for an old one. */
const terms = {
  expired_time: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(latestTime))),
  per_user: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(1_000_000))),
};

export const redemptionBody = z.object({ name, quota: codeQuota, count: z._default(z.number().check(z.int()), 1), ...terms });
export type RedemptionInput = z.infer<typeof redemptionBody>;
export const redemptionStatusChange = z.object({ id: rowId, status: z.number().check(z.int(), z.minimum(1), z.maximum(2)) });
/** With `?status_only=true` the status alone counts, of `{id, status}` or of the whole code; otherwise name, quota and terms. */
const redemptionUpdate = z.union([
  z.object({
    id: rowId,
    name: z.string().check(z.trim(), z.maxLength(1024)),
    quota: codeQuota,
    ...terms,
    /** The terms go to all codes of its name that nobody has used. */
    whole_campaign: z.optional(z.boolean()),
    status: z.optional(z.unknown()),
  }),
  redemptionStatusChange,
]);

const batchBody = z.object({ ids: z.array(rowId).check(z.minLength(1), z.maxLength(1000)) });
const status = numberFilter(4);

export const redemptionRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/api/redemption',
    access: 'admin',
    query: z.object({ ...listPage, status }),
    data: data<Redemption[]>(),
  }),
  search: defineRoute({
    method: 'GET',
    path: '/api/redemption/search',
    access: 'admin',
    query: z.object({ keyword, status, ...longSearchPage }),
    data: data<Redemption[]>(),
  }),
  /** Sums by name, the newest first. */
  campaigns: defineRoute({
    method: 'GET',
    path: '/api/redemption/campaigns',
    access: 'admin',
    query: z.object({ keyword, ...listPage }),
    data: data<CodeCampaign[]>(),
  }),
  get: defineRoute({ method: 'GET', path: '/api/redemption/:id', access: 'admin', data: data<Redemption>() }),
  /** The new codes. */
  create: defineRoute({
    method: 'POST',
    path: '/api/redemption',
    access: 'admin',
    body: redemptionBody,
    data: data<string[]>(),
  }),
  update: defineRoute({
    method: 'PUT',
    path: '/api/redemption',
    access: 'admin',
    query: z.object({ status_only: optionalFlag }),
    body: redemptionUpdate,
    data: data<Redemption>(),
  }),
  /** Withdraws those of them that nobody has used; answers how many. */
  disableBatch: defineRoute({
    method: 'POST',
    path: '/api/redemption/batch/disabled',
    access: 'admin',
    body: batchBody,
    data: data<number>(),
  }),
  /** Deletes all used, disabled and expired codes; answers how many. */
  removeInvalid: defineRoute({ method: 'DELETE', path: '/api/redemption/invalid', access: 'admin', data: data<number>() }),
  remove: defineRoute({ method: 'DELETE', path: '/api/redemption/:id', access: 'admin', data: data<undefined>() }),
} as const;
