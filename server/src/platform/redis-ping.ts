import { Redis } from 'ioredis';
import { redisOptions } from './redis.ts';

const answerMs = 2_000;

/** Whether the server answers within two seconds; keeps no connection. */
export async function pingRedis(url: string): Promise<boolean> {
  const client = new Redis(url, { ...redisOptions, lazyConnect: true, retryStrategy: () => null, commandTimeout: answerMs });
  // What went wrong may hold the password; that it did is all that is asked.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
