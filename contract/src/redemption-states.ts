/** Apart from the routes: the page of the codes reads them, and schemas would come along. */

export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

/** What a list can be narrowed to: `unused` = can be redeemed, `expired` = unused, and too late. */
export const shownRedemptionStatus = { ...redemptionStatus, expired: 4 } as const;

export const maxRedemptionsPerBatch = 100;
