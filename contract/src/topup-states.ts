/** Apart from the routes: the console's addresses read them before any page, and schemas would come along. */

/** Where an order is: `expired` may still become `paid_late`, which is credited like `paid`. */
export const orderStates = ['pending', 'paid', 'paid_late', 'expired', 'failed', 'refunded'] as const;
export type OrderState = (typeof orderStates)[number];

/** What became of a payment notification. */
export const inboxVerdicts = [
  'credited',
  'credited_late',
  'credited_by_hand',
  'repeat',
  'noted',
  'refunded',
  'unmatched_order',
  'unmatched_money',
  'unmatched_method',
  'unmatched_refund',
  'unconfigured',
  'malformed',
  'wrong_merchant',
  'bad_signature',
  'error',
] as const;
export type InboxVerdict = (typeof inboxVerdicts)[number];

/** These had their effect: the same notification again has none. */
export const finalVerdicts: readonly InboxVerdict[] = ['credited', 'credited_late', 'credited_by_hand', 'repeat', 'refunded'];
/** Proven payments that wait for somebody to say whose they are. */
export const creditableVerdicts: readonly InboxVerdict[] = ['unmatched_order', 'unmatched_money', 'unmatched_method'];
