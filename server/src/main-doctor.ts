import { createDoctor, type Doctor, readStoredOptions } from './doctor/index.ts';
import type { Env } from './env.ts';
import type { Clock } from './platform/clock.ts';
import type { Crypto } from './platform/crypto.ts';
import { cataloguePrice } from './providers/index.ts';
import type { Database } from './storage/database.ts';

/** Looks at what a server would run on, from inside of one or beside it. */
export function openDoctor({ db, clock, env, crypto }: { db: Database; clock: Clock; env: Env; crypto: Crypto }): Doctor {
  return createDoctor({
    ...{ db, clock, env, crypto },
    settings: () => readStoredOptions({ db, clock, crypto }),
    listPrice: cataloguePrice,
    pingRedis: async () => {
      if (env.REDIS_URL === undefined) return undefined;
      const { pingRedis } = await import('./platform/redis-ping.ts');
      return pingRedis(env.REDIS_URL);
    },
  });
}
