import { hostname } from 'node:os';
import type { Prices } from './billing/index.ts';
import { tellEndingKeys } from './identity/index.ts';
import {
  balanceCheck,
  type CallMeters,
  createAlerts,
  createAnnouncements,
  createDeliveryLog,
  createDispatcher,
  createQuotaWatch,
  createWays,
  createWxPusherBinding,
  diskCheck,
  downCheck,
  errorRateCheck,
  ledgerCheck,
  lossCheck,
  optionCheck,
  priceWatchCheck,
  tellComingPrices,
  tellPriceChanges,
  waitingCheck,
} from './notify/index.ts';
import type { ChangeSignal } from './platform/change-signal.ts';
import type { Clock } from './platform/clock.ts';
import type { Crypto } from './platform/crypto.ts';
import type { SystemClient } from './platform/http/system-client.ts';
import type { Limiter } from './platform/limiter/memory.ts';
import type { Log } from './platform/log.ts';
import type { Options } from './settings/index.ts';
import type { Database } from './storage/database.ts';

interface Parts {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  log: Log;
  options: () => Options;
  http: SystemClient;
  /** Reaches public addresses only. */
  outside: SystemClient;
  limiter: Limiter;
  meters: CallMeters;
  /** Name of this process among the nodes. */
  node: string;
  dataDir: string;
  openChannels: Parameters<typeof downCheck>[0]['open'];
  soldBelow: Parameters<typeof lossCheck>[0]['below'];
  prices: Pick<Prices, 'sync' | 'applySync' | 'coming'>;
}

/** Everything that tells people of something. */
export function createNotify(parts: Parts) {
  const { db, clock, options, meters } = parts;
  const host = hostname();
  const ways = createWays(parts);
  const sending = { ...parts, ways, random: Math.random };
  const checks = [
    ledgerCheck(db),
    optionCheck(options),
    diskCheck({ folder: parts.dataDir, host, options }),
    balanceCheck(db, options),
    errorRateCheck({ rates: meters, host, options }),
    downCheck({ open: parts.openChannels, options }),
    lossCheck({ below: parts.soldBelow, options }),
    waitingCheck(db),
    priceWatchCheck(parts),
  ];
  return {
    services: {
      deliveries: createDeliveryLog({ ...sending, systemName: () => options().SystemName }),
      wxpusher: createWxPusherBinding(parts),
      announcements: createAnnouncements({ db, clock, serverAddress: () => options().ServerAddress }),
    },
    dispatcher: createDispatcher(sending),
    quotaWatch: createQuotaWatch({ ...parts, ways, spenders: meters }),
    alerts: createAlerts({ ...parts, checks }),
    tellPriceChanges: () => tellPriceChanges(parts),
    tellComingPrices: () => tellComingPrices(parts),
    tellEndingKeys: () => tellEndingKeys({ db, clock, serverAddress: () => options().ServerAddress }),
  };
}
