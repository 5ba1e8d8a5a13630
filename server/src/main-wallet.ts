import {
  createInvites,
  createRedemptions,
  createTopups,
  type Invites,
  type Redemptions,
  type Topups,
  type WalletDeps,
} from './billing/index.ts';
import { startWalletUpkeep } from './jobs/wallet-upkeep.ts';
import type { SystemClient } from './platform/http/system-client.ts';
import type { Log } from './platform/log.ts';

export interface Wallet {
  services: { redemptions: Redemptions; topups: Topups; invites: Invites };
  stop(): void;
}

/** Codes, online payments and invitations, and what looks after them each minute. */
export function createWallet({ http, log, ...deps }: WalletDeps & { http: SystemClient; log: Log }): Wallet {
  const topups = createTopups({ ...deps, http });
  const upkeep = startWalletUpkeep({ topups, log });
  return {
    services: { redemptions: createRedemptions(deps), topups, invites: createInvites(deps) },
    stop: upkeep.stop,
  };
}
