import { expect, test } from 'vitest';
import { channelRow, storeChannels } from '../../../test/channel-rows.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { begin, rollAll, rollAllDying, rollupOn, seedLog, usageRow } from '../../../test/usage-kit.ts';
import { selectChannels } from '../../routing/channel-view.ts';
import type { Database } from '../../storage/database.ts';

const charges = [
  { channel_id: 1, quota: 60 },
  { channel_id: 2, quota: 5 },
  { channel_id: 1, quota: -20 },
  { channel_id: 9, quota: 7 },
];

/** Charges on two channels and on one that is gone, and a log row for the sums to come by. */
async function charged(db: Database): Promise<void> {
  await db.transaction((tx) => tx.query.insertInto('channel_charge').values(charges).execute());
  await seedLog(db, [usageRow({ created_at: begin })]);
}

const shown = async (db: Database) =>
  (await selectChannels(db.read).orderBy('id').execute()).map((channel) => channel.used_quota);
const stored = async (db: Database) =>
  (await db.read.selectFrom('channel').select('used_quota').orderBy('id').execute()).map((channel) => channel.used_quota);
const left = (db: Database) => db.read.selectFrom('channel_charge').selectAll().execute();

onEachEngine((_name, open) => {
  test('what a channel was charged shows at once, and is in its row after the next step of the sums', async () => {
    const db = await open();
    await storeChannels(db, [channelRow(1), channelRow(2), channelRow(3)]);
    await charged(db);
    expect([await shown(db), await stored(db)]).toEqual([
      [40, 5, 0],
      [0, 0, 0],
    ]);
    await rollAll(rollupOn(db));
    expect([await shown(db), await stored(db), await left(db)]).toEqual([[40, 5, 0], [40, 5, 0], []]);
  });

  test('a death at any statement and two nodes at once count each charge once', async () => {
    const db = await open();
    await storeChannels(db, [channelRow(1), channelRow(2), channelRow(3)]);
    await charged(db);
    await rollAllDying(db, 3, async () => expect(await shown(db)).toEqual([40, 5, 0]));
    expect([await stored(db), await left(db)]).toEqual([[40, 5, 0], []]);
    await charged(db);
    await Promise.all([rollAll(rollupOn(db, 'a')), rollAll(rollupOn(db, 'b'))]);
    expect([await stored(db), await left(db)]).toEqual([[80, 10, 0], []]);
  });
});
