import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Identity } from '../identity/index.ts';
import { createDownloads } from './downloads.ts';

const call = { identity: { user: { id: 1 } } as Identity };

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
