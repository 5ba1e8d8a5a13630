import { expect, test, vi } from 'vitest';
import { afterOwnWrites } from './own-writes.ts';

const request = (method: string) => new Request('http://console.test/api/channel/', { method });

test('a change is answered when this node has taken it over; what only reads, or was refused, waits for nothing', async () => {
  let taken = false;
  const catchUp = vi.fn(async () => {
    await Promise.resolve();
    taken = true;
  });
  let status = 200;
  const fetch = afterOwnWrites(() => new Response('{}', { status }), catchUp);
  await fetch(request('GET'), undefined);
  status = 403;
  await fetch(request('POST'), undefined);
  expect(catchUp).not.toHaveBeenCalled();
  status = 200;
  expect((await fetch(request('PUT'), undefined)).status).toBe(200);
  expect(taken).toBe(true);
});

test('a take-over that hangs does not hold the answer for longer than a second', async () => {
  vi.useFakeTimers();
  const fetch = afterOwnWrites(
    () => new Response('{}'),
    () => new Promise(() => {}),
  );
  const answer = fetch(request('POST'), undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await answer).status).toBe(200);
  vi.useRealTimers();
});
