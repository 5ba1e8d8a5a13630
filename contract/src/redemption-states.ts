/** Apart from the routes: the page of the codes reads them, and schemas would come along. */

export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

export const maxRedemptionsPerBatch = 100;
