import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { channelRow, defaultOptions, storeChannels } from '../../test/channel-rows.ts';
import { onEachEngine } from '../../test/engines.ts';
import { systemClock } from '../platform/clock.ts';
import { type ChangeFeed, createChangeFeed } from '../storage/change-feed.ts';
import { createChangeReader } from '../storage/change-reader.ts';
import { type Change, notifyChange } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { createSnapshots } from './snapshots.ts';

function watching(db: Database, feed: Pick<ChangeFeed, 'on' | 'seq'>) {
  const opened: number[] = [];
  const appeared: number[] = [];
  let options = defaultOptions;
  const made = createSnapshots({
    ...{ db, feed, options: () => options, defaultPrice: () => ({}) as never },
    openKey: ({ id }) => {
      opened.push(id);
      return `key of ${id}`;
    },
    onAppeared: (id) => void appeared.push(id),
  });
  return {
    made,
    opened,
    appeared,
    setOptions: (more: Partial<typeof defaultOptions>) => {
      options = { ...options, ...more };
    },
  };
}

const weigh = (db: Database, id: number, weight: number) =>
  db.transaction(async (tx) => {
    await tx.query.updateTable('channel').set({ weight }).where('id', '=', id).execute();
    await tx.perform(notifyChange('channel', String(id), 1));
  });

onEachEngine((_engine, open) => {
  const startFeed = async (db: Database) => {
    const log = captureLog();
    const clock = systemClock;
    const feed = createChangeFeed({ reader: createChangeReader({ db, clock }), bus: undefined, clock, log });
    await feed.catchUp();
    return { feed, log };
  };

  test('a change is read alone, a call that began before keeps its snapshot', async () => {
    const db = await open();
    await storeChannels(
      db,
      [1, 2, 3].map((id) => channelRow(id)),
    );
    const { feed } = await startFeed(db);
    const { made, opened, appeared } = watching(db, feed);
    const snapshots = await made;
    const before = snapshots.current();
    opened.length = 0;
    await weigh(db, 2, 77);
    await feed.catchUp();
    const after = snapshots.current();
    expect([before.channel(2)?.weight, after.channel(2)?.weight]).toEqual([2, 77]);
    expect(after.channel(1)).toBe(before.channel(1));
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.channel(2)?.key).toBe('key of 2');
    expect([opened, appeared]).toEqual([[], []]);
    feed.stop();
  });

  test('channels that come, go and come back; a change of all of them', async () => {
    const db = await open();
    await storeChannels(
      db,
      [1, 2].map((id) => channelRow(id)),
    );
    const { feed } = await startFeed(db);
    const { made, appeared } = watching(db, feed);
    const snapshots = await made;
    const set = async (id: number, status: number, key = String(id)) => {
      await db.transaction(async (tx) => {
        await tx.query.updateTable('channel').set({ status }).where('id', '=', id).execute();
        await tx.perform(notifyChange('channel', key, 1));
      });
      await feed.catchUp();
      return [...snapshots.current().channelIds()];
    };
    expect(await set(1, 2)).toEqual([2]);
    expect(await set(2, 3, '*')).toEqual([]);
    expect(await set(1, 1, '*')).toEqual([1]);
    expect((await set(2, 1)).sort()).toEqual([1, 2]);
    expect(appeared).toEqual([1, 2]);
    feed.stop();
  });

  test('an option alone reads no channel', async () => {
    const db = await open();
    await storeChannels(db, [channelRow(1)]);
    const { feed } = await startFeed(db);
    const { made, setOptions } = watching(db, feed);
    const snapshots = await made;
    const before = snapshots.current();
    await db.transaction((tx) => tx.query.updateTable('channel').set({ weight: 99 }).execute());
    setOptions({ QuotaPerUnit: 7 });
    await db.transaction((tx) => tx.perform(notifyChange('option', 'QuotaPerUnit', 1)));
    await feed.catchUp();
    expect([before, snapshots.current()].map(({ options }) => options.QuotaPerUnit)).toEqual([500_000, 7]);
    expect(snapshots.current().channel(1)).toBe(before.channel(1));
    feed.stop();
  });

  test('while the database is away the last snapshot stays in force, and the change is made up for', async () => {
    const real = await open();
    const away = { now: false };
    const db: Database = {
      ...real,
      get read() {
        if (away.now) throw new Error('the database is away');
        return real.read;
      },
    };
    await storeChannels(real, [channelRow(1)]);
    const { feed, log } = await startFeed(real);
    const snapshots = await watching(db, feed).made;
    away.now = true;
    await weigh(real, 1, 50);
    await feed.catchUp();
    expect(snapshots.current().channel(1)?.weight).toBe(1);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
    away.now = false;
    await feed.catchUp();
    expect(snapshots.current().channel(1)?.weight).toBe(50);
    feed.stop();
  });

  test('what changes while the first snapshot is compiled is not missed', async () => {
    const db = await open();
    await storeChannels(db, [channelRow(1)]);
    let tell: (changes: readonly Change[]) => void | Promise<void> = () => undefined;
    const { made } = watching(db, { seq: () => 0, on: (listener) => (tell = listener) });
    await weigh(db, 1, 60);
    const told = tell([{ seq: 5, kind: 'channel', key: '1' }]);
    const snapshots = await made;
    await told;
    expect([snapshots.current().channel(1)?.weight, snapshots.current().version]).toEqual([60, 5]);
  });
});
