import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Database } from '../storage/database.ts';
import { createResponseOwners } from './response-owners.ts';

const owner = { channelId: 7, keyId: 'abc@https://upstream.example' };
const day = 86_400;

onEachEngine((_engine, open, kit) => {
  const ownersOn = (db: Database, clock = new FakeClock(1_000_000), maxRows?: number) => ({
    owners: createResponseOwners({ db, clock, log: captureLog(), maxRows }),
    clock,
  });

  test('another node and the next start know who gave an answer', async () => {
    const place = await kit.place();
    const { owners } = ownersOn(await open({ place }));
    owners.remember(1, 'resp_a', owner);
    expect(await owners.find(1, 'resp_a')).toEqual(owner);
    await owners.flush();
    expect(await ownersOn(await open({ place })).owners.find(1, 'resp_a')).toEqual(owner);
  });

  test('an answer given to another user is foreign, one that nobody was given is unknown', async () => {
    const { owners } = ownersOn(await open());
    owners.remember(1, 'resp_a', owner);
    await owners.flush();
    expect(await owners.find(2, 'resp_a')).toBe('foreign');
    expect(await owners.find(2, 'resp_b')).toBeUndefined();
    owners.remember(2, 'resp_a', { ...owner, channelId: 8 });
    expect(await owners.find(2, 'resp_a')).toMatchObject({ channelId: 8 });
    expect(await owners.find(1, 'resp_a')).toMatchObject({ channelId: 7 });
  });

  test('after 30 days an answer is forgotten and its row goes with the next one', async () => {
    const db = await open();
    const { owners, clock } = ownersOn(db);
    owners.remember(1, 'resp_a', owner);
    await owners.flush();
    clock.advanceMs(30 * day * 1000 + 1000);
    const later = ownersOn(db, clock).owners;
    expect(await later.find(1, 'resp_a')).toBeUndefined();
    later.remember(1, 'resp_b', owner);
    await later.flush();
    expect(await idsIn(db)).toEqual(['resp_b']);
    // A clock that is set months ahead may be set right again.
    clock.skewMs(100 * day * 1000);
    later.remember(1, 'resp_c', owner);
    await later.flush();
    clock.skewMs(-100 * day * 1000);
    expect(await idsIn(db)).toEqual(['resp_b', 'resp_c']);
  });

  test('the table does not grow beyond its bound: the oldest go', async () => {
    const db = await open();
    const { owners } = ownersOn(db, undefined, 3);
    for (const id of ['a', 'b', 'c', 'd', 'e']) owners.remember(1, id, owner);
    await owners.flush();
    owners.remember(1, 'f', owner);
    await owners.flush();
    expect(await idsIn(db)).toEqual(['d', 'e', 'f']);
  });
});

async function idsIn(db: Database): Promise<string[]> {
  const rows = await db.read.selectFrom('response_owner').select('response_id').orderBy('id').execute();
  return rows.map(({ response_id }) => response_id);
}
