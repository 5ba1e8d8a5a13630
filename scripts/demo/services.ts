import { createLedger, type Ledger } from '../../server/src/billing/index.ts';
import {
  type Accounts,
  bootstrapRoot,
  createAccounts,
  createKeyring,
  createPasswords,
  createSessions,
  createTokens,
  type Keyring,
  type Tokens,
} from '../../server/src/identity/index.ts';
import type { Clock } from '../../server/src/platform/clock.ts';
import { type Crypto, createCrypto } from '../../server/src/platform/crypto.ts';
import { createMemoryLimiter } from '../../server/src/platform/limiter/memory.ts';
import { loadMasterKey } from '../../server/src/platform/master-key.ts';
import { cataloguePrice } from '../../server/src/providers/index.ts';
import {
  type Channels,
  compileSnapshot,
  createChannels,
  openChannelKey,
  readChannels,
  type Snapshot,
} from '../../server/src/routing/index.ts';
import { createSettings, type Settings } from '../../server/src/settings/index.ts';
import type { Database } from '../../server/src/storage/database.ts';
import { migrate } from '../../server/src/storage/migrate.ts';
import { openDatabase } from '../../server/src/storage/open.ts';

/** The product's own services over one database, at a time that the seed chooses. */
export interface DemoServices {
  readonly db: Database;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly channels: Channels;
  readonly settings: Settings;
  readonly keyring: Keyring;
  readonly sign: (text: string) => string;
  /** Everything below happens at this time, unix seconds. */
  travelTo(seconds: number): void;
  snapshot(): Promise<Snapshot>;
}

export interface DemoPlace {
  readonly dataDir: string;
  readonly secretKey: string | undefined;
  readonly rootPassword: string;
}

/** Opens a new database in `dataDir` with a root account in it. */
export async function openServices({ dataDir, secretKey, rootPassword }: DemoPlace, startedAt: number): Promise<DemoServices> {
  let nowMs = startedAt * 1000;
  // Time passes on the way: to a clock that is only set forward nobody's end would have come.
  let passedMs = 0;
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() + passedMs };
  const crypto = createCrypto(await loadMasterKey({ SECRET_KEY: secretKey, SECRET_KEY_FILE: undefined, DATA_DIR: dataDir }));
  const worksModule = new URL('../../server/src/billing/works.ts', import.meta.url);
  // Made for one process and thrown away with it: durability at a power loss is not wanted here.
  const db = await openDatabase({ url: undefined, dataDir, synchronous: 'NORMAL', worksModule });
  await migrate(db);
  const changes = { notify: () => undefined };
  const settings = await createSettings({ db, clock, crypto, changes, warn: () => undefined });
  const passwords = await createPasswords();
  await bootstrapRoot({ db, clock, passwords, initialPassword: rootPassword });
  const options = () => settings.current();
  const life = { idleSeconds: 1, maxSeconds: 1, adminIdleSeconds: 1, adminMaxSeconds: 1 };
  const sessions = createSessions({ db, clock, life });
  const limiter = createMemoryLimiter({ clock, factor: 0 });
  return {
    db,
    clock,
    ledger: createLedger({ db, clock }),
    accounts: createAccounts({ db, clock, crypto, changes, passwords, sessions, limiter, options }),
    tokens: createTokens({ db, clock, crypto, changes, options }),
    channels: createChannels({ db, clock, crypto, changes }),
    settings,
    keyring: createKeyring({ db, clock, crypto, changes }),
    sign: (text) => crypto.hmac('receipt', text),
    travelTo(seconds) {
      passedMs += Math.max(0, seconds * 1000 - nowMs);
      nowMs = seconds * 1000;
    },
    snapshot: () => snapshotOf(db, crypto, settings),
  };
}

async function snapshotOf(db: Database, crypto: Crypto, settings: Settings): Promise<Snapshot> {
  const channels = await readChannels(db);
  const openKey = (row: Parameters<typeof openChannelKey>[1]) => openChannelKey(crypto, row);
  return compileSnapshot({ version: 1, options: settings.current(), channels, openKey, defaultPrice: cataloguePrice });
}
