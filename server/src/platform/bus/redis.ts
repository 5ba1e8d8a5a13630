import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '../log.ts';
import { type Bus, createListeners, maxPayload } from './bus.ts';

const prefix = 'tollgate:bus:';
const maxUnanswered = 256;
const pingMs = 2_000;
const silenceMs = 3_000;
const firstRetryMs = 100;
const longestRetryMs = 2_000;

/** Nothing is kept for later: who was not told looks by itself within a second. */
const options: RedisOptions = {
  connectTimeout: 2_000,
  socketTimeout: silenceMs,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  disableClientInfo: true,
  retryStrategy: (times) => Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
};

/**
 * The bus over Redis or Valkey: one connection that tells, one that listens (`redis://` or `rediss://`). While the server
 * is away messages are dropped and both connect again by themselves, after 0.1 s at first, 2 s at most.
 */
export function createRedisBus({ url, log }: { url: string; log: Log }): Bus {
  const listeners = createListeners(log);
  const topics = new Set<string>();
  const teller = new Redis(url, options);
  const hearer = new Redis(url, options);
  const report = createReport(log);
  let unanswered = 0;
  let hears = false;

  const reportUp = () => {
    if (hears && teller.status === 'ready') report.up();
  };
  const listen = async () => {
    if (hearer.status !== 'ready' || topics.size === 0) return;
    try {
      await hearer.subscribe(...topics);
      hears = true;
      reportUp();
    } catch {
      hearer.disconnect(true);
    }
  };
  hearer.on('ready', listen);
  hearer.on('close', () => {
    hears = false;
  });
  hearer.on('message', (channel, payload) => listeners.deliver(channel.slice(prefix.length), payload));
  teller.on('ready', reportUp);
  for (const client of [teller, hearer]) {
    client.on('error', report.reason);
    client.on('close', report.down);
  }
  // A connection that nobody answers any more is noticed by the silence after a ping.
  const heartbeat = setInterval(() => {
    for (const client of [teller, hearer]) if (client.status === 'ready') client.ping().catch(ignore);
  }, pingMs);
  heartbeat.unref();
  return {
    publish(topic, payload) {
      if (teller.status !== 'ready' || unanswered >= maxUnanswered || payload.length > maxPayload) return;
      unanswered += 1;
      const answered = () => {
        unanswered -= 1;
      };
      teller.publish(prefix + topic, payload).then(answered, answered);
    },
    subscribe(topic, listener) {
      listeners.add(topic, listener);
      topics.add(prefix + topic);
      void listen();
    },
    async close() {
      clearInterval(heartbeat);
      report.stop();
      teller.disconnect();
      hearer.disconnect();
    },
  };
}

function ignore(): void {}

/** One line when the bus is lost and one when it is back. Errors of the client hold the password: only their code is written. */
function createReport(log: Log) {
  let isUp: boolean | undefined;
  let reason = '';
  return {
    reason: (error: unknown) => {
      const { code, name } = error as { code?: unknown; name?: unknown };
      reason = String(code ?? name);
    },
    up: () => {
      if (isUp === false) log.info({}, 'the bus is back');
      isUp = true;
    },
    down: () => {
      if (isUp !== false) log.warn({ reason }, 'the bus is lost: changes reach other nodes by polling until it is back');
      isUp = false;
    },
    stop: () => {
      isUp = false;
    },
  };
}
