import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { databaseNowMs, presentNodes } from '../storage/presence.ts';
import { startPresence } from './presence.ts';
import { createJobRunner } from './runner.ts';

const runner = createJobRunner({ clock: systemClock, log: captureLog() });
const present = async (db: Database, laterSeconds = 0) =>
  presentNodes(db, Math.floor((await databaseNowMs(db)) / 1000) + laterSeconds);

onEachEngine((_engine, open) => {
  test('a node is known with its version, its clock and how far it is until it leaves, or is silent for a minute', async () => {
    const db = await open();
    const slow = { ...systemClock, nowMs: () => Date.now() - 3_600_000 };
    const named = (node: string, isWorker: boolean) => ({ db, runner, node, isWorker });
    const [one, other] = [
      startPresence({ ...named('one', false), clock: systemClock, version: '1.0', behindMs: () => 812.4, charges: () => 3 }),
      startPresence({ ...named('other', true), clock: slow, version: '1.1', behindMs: () => 0, charges: () => 0 }),
    ];
    await Promise.all([one.tick(), other.tick()]);
    const nodes = await present(db);
    expect(nodes).toMatchObject([
      { name: 'one', isWorker: false, version: '1.0', behindMs: 812, charges: 3 },
      { name: 'other', isWorker: true, version: '1.1', behindMs: 0, charges: 0 },
    ]);
    // An hour behind, and known all the same: the lease goes by the clock of the database.
    expect(Math.round((nodes[1]?.aheadMs ?? 0) / 60_000)).toBe(-60);
    expect(await present(db, 120)).toEqual([]);
    await one.stop();
    expect((await present(db)).map(({ name }) => name)).toEqual(['other']);
    await other.stop();
    expect(await present(db)).toEqual([]);
  });

  test('a node of a version that said less is known, too', async () => {
    const db = await open();
    const now = Math.floor((await databaseNowMs(db)) / 1000);
    const row = { name: 'node:old', node: '0.9 -3', lease_until: now + 60 };
    await db.transaction(({ query }) => query.insertInto('job_lease').values(row).execute());
    expect(await present(db)).toEqual([{ name: 'old', isWorker: false, version: '0.9', aheadMs: -3, behindMs: 0, charges: 0 }]);
  });
});
