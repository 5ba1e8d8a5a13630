import type { ChangeSignal } from '../platform/change-signal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';

/** What codes, payments and invitations work with. */
export interface WalletDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  options(): Options;
}

/** Who redeems or pays. */
export interface Payer {
  id: number;
  username: string;
  group: string;
  ip: string;
}
