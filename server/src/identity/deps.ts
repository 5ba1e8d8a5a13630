import type { Mailer } from '../notify/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import type { Limiter } from '../platform/limiter/memory.ts';
import type { Log } from '../platform/log.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

/** What the account services work with. */
export interface AccountDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  passwords: Passwords;
  sessions: Sessions;
  limiter: Limiter;
  options(): Options;
}

/** What the doors beside the password one work with. */
export interface DoorDeps extends AccountDeps {
  mailer: Mailer;
  http: SystemClient;
  log: Log;
}
