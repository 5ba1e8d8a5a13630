import * as spine from './0001-spine.ts';
import * as users from './0002-users.ts';
import * as signIn from './0003-sign-in.ts';
import * as channelHealth from './0004-channel-health.ts';
import * as channelHeaders from './0005-channel-headers.ts';
import * as tokenPolicy from './0007-token-policy.ts';
import * as responseOwners from './0008-response-owners.ts';
import * as priceVersions from './0009-price-versions.ts';
import * as wallet from './0010-wallet.ts';
import * as log from './0011-log.ts';
import * as usageRollups from './0012-usage-rollups.ts';
import * as tasks from './0013-tasks.ts';
import * as optionVersions from './0014-option-versions.ts';
import * as moneyUpkeep from './0015-money-upkeep.ts';
import * as leanCalls from './0016-lean-calls.ts';
import * as agents from './0017-agents.ts';
import * as notifications from './0018-notifications.ts';
import * as logWindows from './0019-log-windows.ts';
import * as imports from './0020-imports.ts';
import * as closedDays from './0021-closed-days.ts';
import * as newerVersions from './0023-newer-versions.ts';
import * as channelCharges from './0024-channel-charges.ts';
import * as paymentNumbers from './0025-payment-numbers.ts';
import * as deliveryLanes from './0026-delivery-lanes.ts';
import * as provenSessions from './0027-proven-sessions.ts';
import * as orderAsks from './0028-order-asks.ts';
import * as rebateReversals from './0029-rebate-reversals.ts';
import * as oldKeys from './0030-old-keys.ts';
import * as taskHolds from './0031-task-holds.ts';
import * as nameKeys from './0032-name-keys.ts';
import * as orderRefunds from './0033-order-refunds.ts';
import * as listFilters from './0034-list-filters.ts';
import * as usageMonths from './0035-usage-months.ts';
import * as movementSides from './0036-movement-sides.ts';
import * as auditTarget from './0037-audit-target.ts';
import * as codeCampaigns from './0038-code-campaigns.ts';
import * as voidRewards from './0039-void-rewards.ts';
import type { MigrationContext } from './context.ts';

export interface Migration {
  readonly name: string;
  /** What it was called before it was numbered anew: databases have it under that name, too. */
  readonly formerly?: string;
  /** Tables of before that it reads or writes row by row: what its time depends on. */
  readonly reads?: readonly string[];
  /** Tables, indexes, columns that may stay empty, and what the version before might have written: it goes on, and may even be started again. */
  readonly onlyAdds?: boolean;
  up(context: MigrationContext): Promise<void>;
}

/** In order, append only: a released migration never changes. */
export const migrations: readonly Migration[] = [
  { name: '0001-spine', up: spine.up },
  { name: '0002-users', reads: ['users'], up: users.up },
  { name: '0003-sign-in', up: signIn.up },
  { name: '0004-channel-health', up: channelHealth.up },
  { name: '0005-channel-headers', up: channelHeaders.up },
  { name: '0007-token-policy', up: tokenPolicy.up },
  { name: '0008-response-owners', up: responseOwners.up },
  { name: '0009-price-versions', up: priceVersions.up },
  { name: '0010-wallet', up: wallet.up },
  { name: '0011-log', reads: ['log'], up: log.up },
  { name: '0012-usage-rollups', up: usageRollups.up },
  { name: '0013-tasks', up: tasks.up },
  { name: '0014-option-versions', reads: ['price_version'], up: optionVersions.up },
  { name: '0015-money-upkeep', up: moneyUpkeep.up },
  { name: '0016-lean-calls', up: leanCalls.up },
  { name: '0017-agents', reads: ['users', 'transfer'], up: agents.up },
  { name: '0018-notifications', up: notifications.up },
  { name: '0019-log-windows', reads: ['log'], up: logWindows.up },
  { name: '0020-imports', up: imports.up },
  { name: '0021-closed-days', up: closedDays.up },
  { name: '0023-newer-versions', up: newerVersions.up },
  { name: '0024-channel-charges', onlyAdds: true, up: channelCharges.up },
  { name: '0025-payment-numbers', onlyAdds: true, up: paymentNumbers.up },
  {
    name: '0026-delivery-lanes',
    formerly: '0028-delivery-lanes',
    reads: ['notification_delivery'],
    onlyAdds: true,
    up: deliveryLanes.up,
  },
  { name: '0027-proven-sessions', onlyAdds: true, up: provenSessions.up },
  { name: '0028-order-asks', formerly: '0030-order-asks', reads: ['topup_order'], onlyAdds: true, up: orderAsks.up },
  {
    name: '0029-rebate-reversals',
    formerly: '0031-rebate-reversals',
    reads: ['invite_reward'],
    onlyAdds: true,
    up: rebateReversals.up,
  },
  { name: '0030-old-keys', formerly: '0032-old-keys', reads: ['token'], onlyAdds: true, up: oldKeys.up },
  { name: '0031-task-holds', reads: ['hold'], onlyAdds: true, up: taskHolds.up },
  { name: '0032-name-keys', reads: ['users'], onlyAdds: true, up: nameKeys.up },
  { name: '0033-order-refunds', reads: ['topup_order', 'payment_inbox'], onlyAdds: true, up: orderRefunds.up },
  { name: '0034-list-filters', reads: ['audit', 'topup_order', 'agent_dividend'], onlyAdds: true, up: listFilters.up },
  { name: '0035-usage-months', onlyAdds: true, up: usageMonths.up },
  { name: '0036-movement-sides', reads: ['transfer'], onlyAdds: true, up: movementSides.up },
  { name: '0037-audit-target', reads: ['audit'], onlyAdds: true, up: auditTarget.up },
  { name: '0038-code-campaigns', reads: ['redemption'], onlyAdds: true, up: codeCampaigns.up },
  { name: '0039-void-rewards', reads: ['invite_reward'], onlyAdds: true, up: voidRewards.up },
];
