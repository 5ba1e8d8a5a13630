/** One line per group of routes: a page loads only the groups that it calls. */
declare module 'virtual:contract-routes' {
  type Routes = typeof import('@tollgate/contract').routes;
  export const account: Routes['account'];
  export const agent: Routes['agent'];
  export const agentSelf: Routes['agentSelf'];
  export const announcement: Routes['announcement'];
  export const notify: Routes['notify'];
  export const audit: Routes['audit'];
  export const channel: Routes['channel'];
  export const channelOps: Routes['channelOps'];
  export const data: Routes['data'];
  export const docs: Routes['docs'];
  export const drawing: Routes['drawing'];
  export const imports: Routes['imports'];
  export const invite: Routes['invite'];
  export const doctor: Routes['doctor'];
  export const ledger: Routes['ledger'];
  export const log: Routes['log'];
  export const option: Routes['option'];
  export const payment: Routes['payment'];
  export const personal: Routes['personal'];
  export const price: Routes['price'];
  export const redemption: Routes['redemption'];
  export const route: Routes['route'];
  export const sessions: Routes['sessions'];
  export const signIn: Routes['signIn'];
  export const site: Routes['site'];
  export const statement: Routes['statement'];
  export const task: Routes['task'];
  export const token: Routes['token'];
  export const topup: Routes['topup'];
  export const users: Routes['users'];
}
