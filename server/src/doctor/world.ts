import type { DefaultPrice } from '../billing/index.ts';
import type { Env } from '../env.ts';
import type { Clock } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import type { StreamWay } from '../platform/http/stream-check.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';

/** What the doctor looks at. */
export interface World {
  readonly db: Pick<Database, 'engine' | 'read'>;
  readonly clock: Clock;
  readonly env: Env;
  readonly crypto: Crypto;
  /** The options as they are stored, with those that cannot be read. */
  readonly settings: () => Promise<{ readonly options: Options; readonly unreadable: readonly string[] }>;
  /** What vendors ask. */
  readonly listPrice: (model: string) => DefaultPrice;
  /** Whether Redis answers; undefined = nobody asked for one. */
  readonly pingRedis: () => Promise<boolean | undefined>;
  /** How a stream comes from this address, at which the installation should answer. Never rejects. */
  readonly askStream: (address: string) => Promise<StreamWay>;
}
