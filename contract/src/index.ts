export * from './account.ts';
export * from './agent.ts';
export * from './agent-routes.ts';
export * from './agent-states.ts';
export * from './announcement.ts';
export * from './audit.ts';
export * from './channel.ts';
export * from './channel-ops.ts';
export * from './data.ts';
export * from './doctor.ts';
export * from './errors.ts';
export * as fields from './fields.ts';
export { mostAmount } from './fields.ts';
export * from './import.ts';
export * from './invite.ts';
export * from './log.ts';
export * from './notify.ts';
export * from './option.ts';
export * from './option-groups.ts';
export * from './price.ts';
export * from './providers/channel-types.ts';
export * from './redemption.ts';
export * from './redemption-states.ts';
export * from './roles.ts';
export * from './route.ts';
export * from './route-explain.ts';
export * from './sign-in.ts';
export * from './site.ts';
export * from './statement.ts';
export * from './task.ts';
export * from './token.ts';
export * from './token-policy.ts';
export * from './topup.ts';
export * from './topup-states.ts';
export * from './users.ts';

import { accountRoutes } from './account.ts';
import { agentRoutes, agentSelfRoutes } from './agent-routes.ts';
import { announcementRoutes } from './announcement.ts';
import { auditRoutes } from './audit.ts';
import { channelRoutes } from './channel.ts';
import { channelOpsRoutes } from './channel-ops.ts';
import { dataRoutes } from './data.ts';
import { doctorRoutes } from './doctor.ts';
import { importRoutes } from './import.ts';
import { inviteRoutes } from './invite.ts';
import { ledgerRoutes, logRoutes } from './log.ts';
import { notifyRoutes } from './notify.ts';
import { optionRoutes } from './option.ts';
import { priceRoutes } from './price.ts';
import { redemptionRoutes } from './redemption.ts';
import { routeRoutes } from './route-explain.ts';
import { signInRoutes } from './sign-in.ts';
import { docsRoutes, probeRoutes, siteRoutes } from './site.ts';
import { statementRoutes } from './statement.ts';
import { drawingRoutes, taskRoutes } from './task.ts';
import { tokenRoutes } from './token.ts';
import { paymentRoutes, topupRoutes } from './topup.ts';
import { personalRoutes, sessionRoutes, userRoutes } from './users.ts';

/** Every route of the console API. A route that is not listed here does not exist. */
export const routes = {
  site: siteRoutes,
  probe: probeRoutes,
  account: accountRoutes,
  signIn: signInRoutes,
  users: userRoutes,
  personal: personalRoutes,
  sessions: sessionRoutes,
  notify: notifyRoutes,
  announcement: announcementRoutes,
  audit: auditRoutes,
  channel: channelRoutes,
  channelOps: channelOpsRoutes,
  token: tokenRoutes,
  redemption: redemptionRoutes,
  topup: topupRoutes,
  payment: paymentRoutes,
  statement: statementRoutes,
  invite: inviteRoutes,
  agentSelf: agentSelfRoutes,
  agent: agentRoutes,
  log: logRoutes,
  data: dataRoutes,
  ledger: ledgerRoutes,
  doctor: doctorRoutes,
  imports: importRoutes,
  drawing: drawingRoutes,
  task: taskRoutes,
  option: optionRoutes,
  price: priceRoutes,
  route: routeRoutes,
  docs: docsRoutes,
} as const;

export type Routes = typeof routes;
