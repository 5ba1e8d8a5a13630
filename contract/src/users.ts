import * as z from 'zod/mini';
import { newPassword, type User, username } from './account.ts';
import { filter, groupName, keyword, listPage, mostAmount, numberFilter, quota, rowId, searchPage } from './fields.ts';
import { settingBody } from './notify.ts';
import { role, shownUserStatus } from './roles.ts';
import { data, defineRoute, type StreamAnswer } from './route.ts';
import { callLimitFields } from './token-policy.ts';

const userQuota = z.number().check(z.int(), z.minimum(0), z.maximum(mostAmount));
const displayName = z.string().check(z.trim(), z.maxLength(20));

export const userBody = z.object({
  username,
  password: newPassword,
  display_name: z._default(displayName, ''),
  /** 1 unless said otherwise; below the creator's own. */
  role: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))),
});

/** Absent and empty fields stay as they are. Names that do not change may be longer than new ones (imported, third-party). */
export const userUpdate = z.object({
  id: rowId,
  username: z._default(z.string().check(z.trim(), z.maxLength(255)), ''),
  display_name: z._default(z.string().check(z.trim(), z.maxLength(255)), ''),
  password: z._default(z.union([newPassword, z.literal('')]), ''),
  group: z._default(z.union([groupName, z.literal('')]), ''),
  /** What the user shall have left; the ledger books the difference. */
  quota: z.optional(userQuota),
  /** The `quota` that the editor saw: when it moved meanwhile, the difference to the new one is booked. */
  seen_quota: z.optional(userQuota),
  /** The `quota_version` beside it: the same change sent again is booked once. */
  seen_version: z.optional(z.number().check(z.int(), z.minimum(0))),
  /** Why the quota is changed, as the user and the audit log shall read it. Who says what they saw says why, too. */
  quota_reason: z.optional(z.string().check(z.trim(), z.maxLength(200))),
  /** How much the user may ask for; absent = as it is. */
  limits: z.optional(z.object(callLimitFields)),
  /** Never written; a higher one than the editor's is refused. */
  role: z.optional(z.number()),
});
export type UserUpdate = z.infer<typeof userUpdate>;

/** The first five are the wire contract's; the last takes a lost or foreign second factor and the passkeys away. */
const manageActions = ['disable', 'enable', 'delete', 'promote', 'demote', 'reset_second_factor'] as const;
export type ManageAction = (typeof manageActions)[number];

/** What a managed user is now; the console updates its row with it. */
export interface ManagedUser {
  role: number;
  status: number;
}

/** What list and search share. */
const narrowing = { group: filter, role: numberFilter(role.root), status: numberFilter(shownUserStatus.gone) };

export const userRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/api/user',
    access: 'admin',
    query: z.object({ ...listPage, ...narrowing }),
    data: data<User[]>(),
  }),
  search: defineRoute({
    method: 'GET',
    path: '/api/user/search',
    access: 'admin',
    query: z.object({ keyword, ...narrowing, ...searchPage }),
    data: data<User[]>(),
  }),
  get: defineRoute({ method: 'GET', path: '/api/user/:id', access: 'admin', data: data<User>() }),
  create: defineRoute({ method: 'POST', path: '/api/user', access: 'admin', body: userBody, data: data<undefined>() }),
  update: defineRoute({ method: 'PUT', path: '/api/user', access: 'admin', body: userUpdate, data: data<undefined>() }),
  remove: defineRoute({ method: 'DELETE', path: '/api/user/:id', access: 'admin', data: data<undefined>() }),
  manage: defineRoute({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    body: z.object({ id: rowId, action: z.enum(manageActions) }),
    data: data<ManagedUser>(),
  }),
  /** A token of a user of a lower level, such as one whose key leaked; root also its own. */
  disableToken: defineRoute({
    method: 'POST',
    path: '/api/user/token/:id/disable',
    access: 'admin',
    data: data<undefined>(),
  }),
} as const;

/** What a user does to their own account, beside what `accountRoutes` has. */
export const personalRoutes = {
  /** A new system access token, shown only now; the old one is dead. */
  accessToken: defineRoute({ method: 'GET', path: '/api/user/token', access: 'user', sessionOnly: true, data: data<string>() }),
  inviteCode: defineRoute({ method: 'GET', path: '/api/user/aff', access: 'user', data: data<string>() }),
  transferInvites: defineRoute({
    method: 'POST',
    path: '/api/user/aff_transfer',
    access: 'user',
    sessionOnly: true,
    body: z.object({ quota }),
    data: data<undefined>(),
  }),
  /** A streamed download: all that is kept about the caller, a line of JSON each without secrets; calls have an export of their own. */
  exportSelf: defineRoute({
    method: 'GET',
    path: '/api/user/self/export',
    access: 'user',
    sessionOnly: true,
    data: data<StreamAnswer>(),
  }),
  removeSelf: defineRoute({
    method: 'DELETE',
    path: '/api/user/self',
    access: 'user',
    sessionOnly: true,
    data: data<undefined>(),
  }),
  saveSetting: defineRoute({
    method: 'PUT',
    path: '/api/user/setting',
    access: 'user',
    body: settingBody,
    data: data<undefined>(),
  }),
} as const;

/** One of the caller's own sessions. */
export interface SessionEntry {
  id: number;
  ip: string;
  user_agent: string;
  created_time: number;
  /** When the password opened it; 0 = another door did. */
  proven_time: number;
  last_seen_time: number;
  /** The session that asks. */
  current: boolean;
}

export const sessionRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/api/user/sessions',
    access: 'user',
    sessionOnly: true,
    data: data<SessionEntry[]>(),
  }),
  end: defineRoute({
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    access: 'user',
    sessionOnly: true,
    data: data<undefined>(),
  }),
  /** Ends all others and answers how many. */
  endOthers: defineRoute({
    method: 'DELETE',
    path: '/api/user/sessions',
    access: 'user',
    sessionOnly: true,
    data: data<number>(),
  }),
} as const;
