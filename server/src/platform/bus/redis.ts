import type { Log } from '../log.ts';
import { connectRedis, createRedisReport, refusalOf } from '../redis.ts';
import type { Bus } from './bus.ts';

/** Of its channels. */
export const prefix = 'tollgate:bus:';
const channel = `${prefix}change`;
const maxUnanswered = 256;
const pingMs = 2_000;

/**
 * The bus over Redis or Valkey: one connection that tells, one that listens (`redis://` or `rediss://`). While the server
 * is away messages are dropped and both connect again by themselves, after 0.1 s at first, 2 s at most.
 */
export function createRedisBus({ url, log }: { url: string; log: Log }): Bus {
  const teller = connectRedis(url);
  const hearer = connectRedis(url);
  const report = createRedisReport(log, {
    lost: 'the bus is lost: changes reach other nodes by polling until it is back',
    back: 'the bus is back',
  });
  let unanswered = 0;
  let hears = false;
  let listener: (from: string) => void = ignore;

  const reportUp = () => {
    if (hears && teller.status === 'ready') report.up();
  };
  const listen = async () => {
    if (hearer.status !== 'ready') return;
    try {
      await hearer.subscribe(channel);
      hears = true;
      reportUp();
    } catch (error) {
      if (refusalOf(error) === undefined) return hearer.disconnect(true);
      // Without the right to listen a new connection helps nobody: the next beat asks again.
      report.reason(error);
      report.down();
    }
  };
  hearer.on('ready', listen);
  hearer.on('close', () => {
    hears = false;
  });
  hearer.on('message', (_channel, from) => listener(from));
  teller.on('ready', reportUp);
  for (const client of [teller, hearer]) {
    client.on('error', report.reason);
    client.on('close', report.down);
  }
  // A connection that nobody answers any more is noticed by the silence after a ping.
  const heartbeat = setInterval(() => {
    for (const client of [teller, hearer]) if (client.status === 'ready') client.ping().catch(ignore);
    if (!hears) void listen();
  }, pingMs);
  heartbeat.unref();
  return {
    publish(from) {
      if (teller.status !== 'ready' || unanswered >= maxUnanswered) return;
      unanswered += 1;
      const answered = () => {
        unanswered -= 1;
      };
      teller.publish(channel, from).then(answered, answered);
    },
    subscribe(next) {
      listener = next;
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
