import * as z from 'zod/mini';
import { countedPage, filter, timeRange } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** What the audit log tells of. Append only: stored rows carry these names. */
export const auditActions = [
  'login',
  'login.failed',
  'session.end',
  'register',
  'user.create',
  'user.update',
  'user.promote',
  'user.demote',
  'user.second_factor_reset',
  'user.disable',
  'user.enable',
  'user.deregister',
  'user.delete',
  'user.export',
  'user.second_factor',
  'user.bind',
  'password.change',
  'password.reset',
  'access_token.rotate',
  'option.change',
  'channel.create',
  'channel.update',
  'channel.delete',
  'channel.test',
  'channel.repair',
  'redemption.create',
  'redemption.update',
  'redemption.delete',
  'redemption.use',
  'invite.transfer',
  'payment.order',
  'payment.credit',
  'payment.refund',
  'payment.ask',
  'payment.replay',
  'payment.reverse',
  'agent.apply',
  'agent.review',
  'agent.withdraw',
  'agent.cancel',
  'agent.payout',
  'announcement.create',
  'announcement.update',
  'announcement.delete',
  'log.delete',
  'log.body',
  'log.refund',
  'token.create',
  'token.update',
  'token.delete',
  'token.disable',
  'token.enable',
  'token.rotate',
  'token.old_key_end',
  'keys.rotate',
  'restore',
  'config.apply',
  'import',
  'denied',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One row of the audit log. `detail` is JSON text; secrets stand in it as a keyed hash. */
export interface AuditEntry {
  seq: number;
  created_at: number;
  /** 0 = nobody was signed in, or the command line. */
  actor_id: number;
  actor: string;
  action: string;
  /** `user:7`, `option:Notice`, `channel:3`, or a route. */
  target: string;
  detail: string;
  ip: string;
  hash: string;
}

const auditQuery = z.object({
  ...countedPage,
  /** User name, or id. */
  actor: filter,
  action: filter,
  /** Just as it stands in the rows. */
  target: filter,
  ...timeRange,
});
export type AuditQuery = z.infer<typeof auditQuery>;

export const auditRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/audit', access: 'root', query: auditQuery, data: data<PageOf<AuditEntry>>() }),
} as const;
