import { createDoctor, type Doctor, readStoredOptions } from './doctor/index.ts';
import type { Env } from './env.ts';
import type { Clock } from './platform/clock.ts';
import type { Crypto } from './platform/crypto.ts';
import type { StreamWay } from './platform/http/stream-check.ts';
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
    askStream: (address) => askStream(address, env, clock, crypto),
  });
}

/**
 * By the way that callers take. Its own address may lie in a private network although no channel's may: only root names
 * it, the path is ours, and all that is told is whether this installation answered there. Metadata addresses stay closed.
 */
async function askStream(address: string, env: Env, clock: Clock, crypto: Crypto): Promise<StreamWay> {
  const [{ createUpstreamClient }, { createGuard }, { askStreamCheck }] = await Promise.all([
    import('./platform/http/client.ts'),
    import('./platform/http/guard.ts'),
    import('./platform/http/stream-check.ts'),
  ]);
  const guard = createGuard({ allowPrivate: ownPlace(address), rewrite: env.EGRESS_REWRITE });
  const client = createUpstreamClient({ guard, connectTimeoutMs: env.UPSTREAM_CONNECT_TIMEOUT_MS });
  return askStreamCheck({ client, clock, crypto }, address).finally(() => client.close());
}

function ownPlace(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  return [`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`];
}
