export { createActiveCalls } from './active.ts';
export { billingView } from './billing-view.ts';
export { channelTestCall } from './channel-probe.ts';
export { isRelayPath } from './endpoints.ts';
export { createRelay } from './pipeline.ts';
export { createRetryBudget } from './retry.ts';
export { createSettler } from './settle.ts';
