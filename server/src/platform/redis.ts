import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from './log.ts';

const firstRetryMs = 100;
const longestRetryMs = 2_000;

/** Silence after which a connection counts as lost. */
const silenceMs = 3_000;

/** Nothing is kept for later: whoever could not ask decides alone. */
const redisOptions: RedisOptions = {
  connectTimeout: 2_000,
  socketTimeout: silenceMs,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  disableClientInfo: true,
  // In RESP3 the client takes a refusal of strangers (protected mode) for a password too many, and prints that each time.
  protocol: 2,
  retryStrategy: (times) => Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
};

/** A connection to the database that `url` names, and to no other: what a server that has none of that number offers may be another installation's. */
export function connectRedis(url: string, more: RedisOptions = {}): Redis {
  const client = new Redis(url, { ...redisOptions, ...more });
  client.on('error', (error: { command?: { name?: string } }) => {
    if (error.command?.name === 'select') client.disconnect(true);
  });
  return client;
}

/** What follows a word is not told: an unknown command comes back with its arguments. A script's user without rights has another text before Redis 7.2. */
const refusals =
  /(?:^|-|^ERR )(DB index is out of range|unknown command|ACL failure|The user executing the script can't run this command|READONLY|OOM|MISCONF|NOPERM|NOAUTH|WRONGPASS|LOADING|BUSY|DENIED|MOVED|CLUSTERDOWN|MASTERDOWN|NOREPLICAS)\b/;

/** Why Redis refuses, in its own word: OOM (its memory is full), READONLY (a replica), MISCONF (its disk fails), DB index is out of range, WRONGPASS, DENIED (protected mode), MOVED (a part of a cluster), unknown command (a Sentinel). */
export function refusalOf(error: unknown): string | undefined {
  const { name, message } = error as { name?: unknown; message?: unknown };
  return name === 'ReplyError' ? refusals.exec(String(message))?.[1] : undefined;
}

/** By a server that ends or was killed: no error comes with that. */
const closed = 'the connection was closed';
const advice = 'See that REDIS_URL is right and that its server runs and lets this machine in';

/** One line when Redis is lost and one when it is back. Errors of the client hold the password: only their code is written. */
export function createRedisReport(log: Log, { lost, back }: { lost: string; back: string }) {
  let isUp: boolean | undefined;
  let isOver = false;
  let reason = '';
  return {
    /** One that says more than the loss did, like a password that was changed, is told as well. */
    reason: (error: unknown) => {
      const { code, name } = error as { code?: unknown; name?: unknown };
      const refusal = refusalOf(error);
      const isNews = isUp === false && refusal !== undefined && refusal !== reason;
      // That the connection breaks behind a refusal says no more than the refusal.
      if (refusal !== undefined || !refusals.test(reason)) reason = String(code ?? refusal ?? name);
      if (isNews && !isOver) log.warn({ reason }, `${lost}. ${advice}`);
    },
    up: () => {
      if (isUp === false && !isOver) log.info({}, back);
      isUp = true;
      reason = '';
    },
    down: () => {
      if (isUp !== false && !isOver) log.warn({ reason: reason || closed }, `${lost}. ${advice}`);
      isUp = false;
    },
    stop: () => {
      isOver = true;
    },
  };
}
