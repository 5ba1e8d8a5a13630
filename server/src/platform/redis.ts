import type { RedisOptions } from 'ioredis';
import type { Log } from './log.ts';

const firstRetryMs = 100;
const longestRetryMs = 2_000;

/** Silence after which a connection counts as lost. */
const silenceMs = 3_000;

/** Nothing is kept for later: whoever could not ask decides alone. */
export const redisOptions: RedisOptions = {
  connectTimeout: 2_000,
  socketTimeout: silenceMs,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  disableClientInfo: true,
  retryStrategy: (times) => Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
};

/** One line when Redis is lost and one when it is back. Errors of the client hold the password: only their code is written. */
export function createRedisReport(log: Log, { lost, back }: { lost: string; back: string }) {
  let isUp: boolean | undefined;
  let reason = '';
  return {
    reason: (error: unknown) => {
      const { code, name } = error as { code?: unknown; name?: unknown };
      reason = String(code ?? name);
    },
    up: () => {
      if (isUp === false) log.info({}, back);
      isUp = true;
    },
    down: () => {
      if (isUp !== false) log.warn({ reason }, lost);
      isUp = false;
    },
    stop: () => {
      isUp = false;
    },
  };
}
