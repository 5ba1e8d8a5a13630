import * as z from 'zod/mini';
import { keyword, listPage, longSearchPage, mostAmount, numberFilter, optionalFlag, rowId } from './fields.ts';
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
  DeletedAt: string | null;
}

/** Its length is judged by the service, which has a text for it. */
const name = z._default(z.string().check(z.trim(), z.maxLength(1024)), '');
/** 2 billion dollars: far above any code, far below where sums leave the safe integers. */
const codeQuota = z.number().check(z.int(), z.minimum(1), z.maximum(mostAmount));

export const redemptionBody = z.object({ name, quota: codeQuota, count: z._default(z.number().check(z.int()), 1) });
export type RedemptionInput = z.infer<typeof redemptionBody>;
export const redemptionStatusChange = z.object({ id: rowId, status: z.number().check(z.int(), z.minimum(1), z.maximum(2)) });
/** With `?status_only=true` the status alone counts, of `{id, status}` or of the whole code; otherwise name and quota. */
const redemptionUpdate = z.union([
  z.object({
    id: rowId,
    name: z.string().check(z.trim(), z.maxLength(1024)),
    quota: codeQuota,
    status: z.optional(z.unknown()),
  }),
  redemptionStatusChange,
]);

const batchBody = z.object({ ids: z.array(rowId).check(z.minLength(1), z.maxLength(1000)) });
const status = numberFilter(3);

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
  /** Deletes all used and disabled codes; answers how many. */
  removeInvalid: defineRoute({ method: 'DELETE', path: '/api/redemption/invalid', access: 'admin', data: data<number>() }),
  remove: defineRoute({ method: 'DELETE', path: '/api/redemption/:id', access: 'admin', data: data<undefined>() }),
} as const;
