import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Identity } from '../identity/index.ts';
import { createDownloads } from './downloads.ts';

const callOf = (id: number) => ({ identity: { user: { id } } as Identity });
const call = callOf(1);

test('what fails before the first text is the answer, and gives the place back', async () => {
  const downloads = createDownloads({ clock: new FakeClock(0) });
  const away = new Error('the database is away');
  const failing = async function* (): AsyncGenerator<string> {
    yield await Promise.reject(away);
  };
  for (let turn = 0; turn < 3; turn += 1)
    await expect(downloads.file(call, { name: 'log', texts: failing() })).rejects.toBe(away);
  const texts = async function* () {
    yield* ['a', 'b'];
  };
  const [one, other] = [
    await downloads.file(call, { name: 'log', texts: texts() }),
    await downloads.file(call, { name: 'log', texts: texts() }),
  ];
  await expect(downloads.file(call, { name: 'log', texts: texts() })).rejects.toMatchObject({ code: 'log_streams_crowded' });
  expect([await one.text(), await other.text()]).toEqual(['ab', 'ab']);
  const empty = await downloads.file(call, { name: 'log', format: 'ndjson', texts: (async function* () {})() });
  expect(await empty.text()).toBe('');
});

test('readers who take nothing have all places for a minute, and then their files are cut off', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const downloads = createDownloads({ clock: new FakeClock(0) });
  const file = (user: number) => {
    const texts = async function* () {
      for (;;) yield 'row\n';
    };
    return downloads.file(callOf(user), { name: 'log', texts: texts() });
  };
  const held = await Promise.all([1, 1, 2, 2, 3, 3].map(file));
  await vi.advanceTimersByTimeAsync(59_000);
  await expect(file(4)).rejects.toMatchObject({ code: 'log_streams_crowded' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await file(4)).status).toBe(200);
  for (const answer of held) await expect(answer.text()).rejects.toThrow('The client stopped reading');
});
