import * as z from 'zod/mini';
import {
  keptWhenAbsent,
  keyword,
  latestTime,
  numberFilter,
  optionalFlag,
  pageFromZero,
  pageSize,
  quota,
  rowId,
  searchPage,
} from './fields.ts';
import { data, defineRoute } from './route.ts';
import { type TokenPolicy, tokenPolicyFields } from './token-policy.ts';

/** An API token as its owner reads it (contract 1.8). `key` has 48 characters, without the `sk-` prefix. */
export interface Token extends TokenPolicy {
  id: number;
  user_id: number;
  key: string;
  status: number;
  name: string;
  created_time: number;
  accessed_time: number;
  expired_time: number;
  remain_quota: number;
  /** Moves with every edit of the quota, not with calls. */
  quota_version: number;
  unlimited_quota: boolean;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  used_quota: number;
  group: string;
  DeletedAt: string | null;
  /** The key before this one while it still works; null = there is none. */
  old_key: OldKey | null;
}

export interface OldKey {
  last_four: string;
  /** Unix seconds; from then on it opens nothing. */
  ends_time: number;
}

/** Seven days. */
const longestOldKeySeconds = 604_800;

/** What one owner and one token may have; imported ones may have more. */
export const tokenBounds = { tokensOfOwner: 1_000, addressesOfList: 256, models: 1_000 } as const;

const tokenFields = {
  /** Length is judged by the service, which has a text for it. */
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(1024)),
  expired_time: z._default(z.number().check(z.int(), z.minimum(-1), z.maximum(latestTime)), -1),
  remain_quota: z._default(quota, 0),
  unlimited_quota: z._default(z.boolean(), false),
  model_limits_enabled: z._default(z.boolean(), false),
  model_limits: z._default(z.string().check(z.maxLength(65_536)), ''),
  allow_ips: z._default(z.nullish(z.string().check(z.maxLength(65_536))), ''),
  group: z._default(z.string().check(z.maxLength(64)), ''),
  ...tokenPolicyFields,
};
export const tokenBody = z.object(tokenFields);
export type TokenInput = z.infer<typeof tokenBody>;
const tokenChange = z.object({
  id: rowId,
  ...keptWhenAbsent(tokenFields),
  /** The `remain_quota` that the editor saw: when calls moved it meanwhile, the difference to the new one is applied. */
  seen_remain_quota: z.optional(quota),
  /** The `quota_version` beside it: the same change sent again is applied once, and one is refused when another came before it. */
  seen_version: z.optional(z.number().check(z.int())),
});
export type TokenChange = z.infer<typeof tokenChange>;
export const tokenStatusChange = z.object({ id: rowId, status: z.number().check(z.int(), z.minimum(1), z.maximum(4)) });
/**
 * With `?status_only=true` the status alone counts, of `{id, status}` or of the whole token; otherwise the token: what is absent
 * stays as it is, so that an old client resets nothing, and its status is not looked at.
 */
export const tokenUpdate = z.union([z.extend(tokenChange, { status: z.optional(z.unknown()) }), tokenStatusChange]);

const status = numberFilter(4);

export const tokenRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/api/token',
    access: 'user',
    query: z.object({ p: pageFromZero, size: pageSize, peek: optionalFlag, status }),
    data: data<Token[]>(),
  }),
  search: defineRoute({
    method: 'GET',
    path: '/api/token/search',
    access: 'user',
    query: z.object({ keyword, token: z._default(z.string().check(z.trim(), z.maxLength(160)), ''), status, ...searchPage }),
    data: data<Token[]>(),
  }),
  get: defineRoute({ method: 'GET', path: '/api/token/:id', access: 'user', data: data<Token>() }),
  create: defineRoute({ method: 'POST', path: '/api/token', access: 'user', body: tokenBody, data: data<undefined>() }),
  update: defineRoute({
    method: 'PUT',
    path: '/api/token',
    access: 'user',
    query: z.object({ status_only: optionalFlag }),
    body: tokenUpdate,
    data: data<Token>(),
  }),
  /**
   * A new key for the same token: id, name, quota and history stay. The old key works for `old_key_seconds` more, then it is dead; one
   * that was still working beside it is dead at once.
   */
  rotate: defineRoute({
    method: 'POST',
    path: '/api/token/:id/rotate',
    access: 'user',
    query: z.object({
      old_key_seconds: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(longestOldKeySeconds)), 0),
    }),
    data: data<Token>(),
  }),
  /** Ends the old key now. */
  endOldKey: defineRoute({ method: 'DELETE', path: '/api/token/:id/old-key', access: 'user', data: data<Token>() }),
  remove: defineRoute({ method: 'DELETE', path: '/api/token/:id', access: 'user', data: data<undefined>() }),
} as const;
