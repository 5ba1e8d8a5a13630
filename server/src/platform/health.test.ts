import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { listening } from '../../test/listening.ts';
import { createHealth, type Health } from './health.ts';

let close: (() => void) | undefined;
afterEach(() => close?.());

async function serve(health: Health): Promise<(path: string, method?: string) => Promise<{ status: number; body: unknown }>> {
  const server = createServer(health.handle);
  close = () => server.close();
  const port = await listening(server);
  return async (path, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: answer.status, body: await answer.json() };
  };
}

test('a process is alive whatever its database does, and ready while that answers', async () => {
  const clock = new FakeClock(0);
  let ping = () => Promise.resolve();
  let pings = 0;
  const health = createHealth({
    clock,
    ping: () => {
      pings += 1;
      return ping();
    },
    pingTimeoutMs: 50,
  });
  const ask = await serve(health);
  expect(health.isWatched()).toBe(false);
  expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ready' } });
  expect(await ask('/readyz')).toMatchObject({ status: 200 });
  expect(pings).toBe(1);
  for (const broken of [() => Promise.reject(new Error('gone')), () => new Promise<void>(() => {})]) {
    ping = broken;
    clock.advanceMs(1_500);
    expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'not_ready', reasons: ['database'] } });
    expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
  }
  expect(health.isWatched()).toBe(true);
  clock.advanceMs(61_000);
  expect(health.isWatched()).toBe(false);
});

test('a process that drains is not ready any more, but alive', async () => {
  const health = createHealth({ clock: new FakeClock(0), ping: async () => {} });
  const ask = await serve(health);
  health.drain();
  expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'not_ready', reasons: ['draining'] } });
  expect(await ask('/healthz?probe=1')).toMatchObject({ status: 200 });
  expect(await ask('/healthz', 'POST')).toMatchObject({ status: 405 });
});

test('a process whose machine is a minute off the database’s clock gets no more calls, and says why', async () => {
  let aheadMs = 60_000;
  const ask = await serve(createHealth({ clock: new FakeClock(0), ping: async () => {}, clockAheadMs: () => aheadMs }));
  expect(await ask('/readyz')).toMatchObject({ status: 200 });
  for (aheadMs of [60_001, -60_001]) {
    expect(await ask('/readyz')).toEqual({ status: 503, body: { status: 'not_ready', reasons: ['clock'] } });
  }
});
