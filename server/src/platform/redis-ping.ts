import { prefix } from './bus/redis.ts';
import { defineScripts } from './limiter/redis-scripts.ts';
import { connectRedis } from './redis.ts';

const answerMs = 2_000;

/** Of the limits' own keys and the bus' own channels, so that no rights but theirs are needed; gone a moment later. */
const name = 'ping';
const key = `{tollgate}:${name}`;
const keptMs = 1_000;

/**
 * Whether the server does within two seconds what limits and bus ask of it: a replica, one whose memory is full, a Sentinel,
 * a part of a cluster and one that lets its user run no scripts answer, too. Keeps no connection.
 */
export async function pingRedis(url: string): Promise<boolean> {
  const client = connectRedis(url, { lazyConnect: true, retryStrategy: () => null, commandTimeout: answerMs });
  // What went wrong may hold the password; that it did is all that is asked.
  client.on('error', () => undefined);
  defineScripts(client);
  try {
    await client.connect();
    await client.tollgateRenew(1, key, name, keptMs);
    await client.publish(prefix + name, '');
    return true;
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
