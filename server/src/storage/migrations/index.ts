import * as spine from './0001-spine.ts';
import * as users from './0002-users.ts';
import * as signIn from './0003-sign-in.ts';
import * as channelHealth from './0004-channel-health.ts';
import * as channelHeaders from './0005-channel-headers.ts';
import * as tokenPolicy from './0007-token-policy.ts';
import * as responseOwners from './0008-response-owners.ts';
import * as priceVersions from './0009-price-versions.ts';
import * as wallet from './0010-wallet.ts';
import type { MigrationContext } from './context.ts';

export interface Migration {
  readonly name: string;
  up(context: MigrationContext): Promise<void>;
}

/** In order, append only: a released migration never changes. */
export const migrations: readonly Migration[] = [
  { name: '0001-spine', up: spine.up },
  { name: '0002-users', up: users.up },
  { name: '0003-sign-in', up: signIn.up },
  { name: '0004-channel-health', up: channelHealth.up },
  { name: '0005-channel-headers', up: channelHeaders.up },
  { name: '0007-token-policy', up: tokenPolicy.up },
  { name: '0008-response-owners', up: responseOwners.up },
  { name: '0009-price-versions', up: priceVersions.up },
  { name: '0010-wallet', up: wallet.up },
];
