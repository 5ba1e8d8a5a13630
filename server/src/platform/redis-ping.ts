import { connectRedis } from './redis.ts';

const answerMs = 2_000;

/** Of the limits' own keys, so that no rights but theirs are needed; gone a moment later. */
const key = '{tollgate}:ping';
const keptMs = 1_000;

/** Whether the server takes something within two seconds: a replica and one whose memory is full answer, too. Keeps no connection. */
export async function pingRedis(url: string): Promise<boolean> {
  const client = connectRedis(url, { lazyConnect: true, retryStrategy: () => null, commandTimeout: answerMs });
  // What went wrong may hold the password; that it did is all that is asked.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.set(key, '1', 'PX', keptMs)) === 'OK';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
