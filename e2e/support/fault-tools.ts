import net from 'node:net';
import pg from 'pg';
import { expect } from 'vitest';
import { errorCode } from './fault-world.ts';
import type { Seen } from './mixed-load.ts';
import { eventually } from './wait.ts';

/** Of a streamed answer. */
export const pieces = (text: string): number => text.split('"content"').length - 1;
/** What callers were told no. */
export const refusedOf = (seen: readonly Seen[] = []): readonly Seen[] => seen.filter(({ status }) => status >= 400);
/** In milliseconds. */
export const longest = (seen: readonly Seen[] = []): number => Math.max(0, ...seen.map(({ ms }) => ms));
/** The codes of all refusals, each once. */
export const codesOf = (seen: readonly Seen[] = []): string[] => [...new Set(refusedOf(seen).map(({ text }) => errorCode(text)))];

/** A connection that does not complain when the server ends it. */
export async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Drops those of the nodes and takes every place there is: a node that came in between is dropped as well. */
export async function takeAllConnections(connectionString: string): Promise<pg.Client[]> {
  const mine = 'faults';
  const join = async () => {
    const client = await connectTo(connectionString);
    await client.query(`SET application_name = '${mine}'`);
    return client;
  };
  const first = await join();
  const taken = [first];
  const { rows } = await first.query<{ places: number }>("SELECT current_setting('max_connections')::int AS places");
  await eventually(async () => {
    await first.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name <> '${mine}'`,
    );
    const places = Number(rows[0]?.places);
    const wave = await Promise.allSettled(Array.from({ length: places - taken.length }, join));
    taken.push(...wave.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    expect(taken).toHaveLength(places);
  });
  return taken;
}

/** Everything under every key becomes a text that nobody can read. */
export const garbage = `EVAL "for _, key in ipairs(redis.call('keys', '*')) do redis.call('del', key) redis.call('set', key, 'garbage') end" 0`;

export async function tellRedis(url: string, command: string): Promise<void> {
  const { hostname, port, password } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      said += chunk.toString();
      if (said.split('\r\n').length > 2) resolve();
    });
    socket.write(`AUTH ${password}\r\n${command}\r\n`);
  });
  socket.destroy();
  expect(said).not.toContain('-ERR');
}
