/** Apart from the routes: the console's addresses read them before any page, and schemas would come along. */

/** Where an agent stands (contract 9.2). Only an active one earns and may ask for money. */
export const agentStatus = { applied: 0, active: 1, rejected: 2, suspended: 3 } as const;
export type AgentStatus = (typeof agentStatus)[keyof typeof agentStatus];

/** `reversed`: taken back in whole; one that was taken back in part stays what it is. */
export const dividendStatus = { pending: 0, settled: 1, reversed: 2 } as const;
export type DividendStatus = (typeof dividendStatus)[keyof typeof dividendStatus];

/** `pending` and `processing` (claimed by an administrator) are open; the others are final. */
export const withdrawalStatus = { pending: 1, paid: 2, rejected: 3, processing: 4, cancelled: 5 } as const;
export type WithdrawalStatus = (typeof withdrawalStatus)[keyof typeof withdrawalStatus];

/** How a withdrawal is paid out. `quota`: at once, to the agent's own balance. */
export const payoutMethods = ['alipay', 'wxpay', 'bank', 'quota'] as const;
export type PayoutMethod = (typeof payoutMethods)[number];

/** What administrators do with a withdrawal: claim 1 -> 4, release 4 -> 1, pay 1/4 -> 2, reject 1/4 -> 3. */
export const withdrawalActions = ['claim', 'release', 'pay', 'reject'] as const;
export type WithdrawalAction = (typeof withdrawalActions)[number];
