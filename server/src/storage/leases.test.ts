import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Database } from './database.ts';
import { takeLease } from './leases.ts';
import { announceNode, presentNodes } from './presence.ts';
import { createRunBoard } from './run-board.ts';

const seconds = 300;
const now = 1_800_000_000;
const take = (db: Database, node: string, at: number, name = 'job') => takeLease(db, { name, node, now: at, seconds });

onEachEngine((engine, open, { place }) => {
  describe('the lease of a job', () => {
    test('of nodes that ask at the same moment exactly one gets it, each time', async () => {
      const where = await place();
      const nodes = ['a', 'b', 'c', 'd'];
      // The embedded database is one process's own.
      const handles = engine === 'sqlite' ? Array(4).fill(await open({ place: where })) : [];
      while (handles.length < nodes.length) handles.push(await open({ place: where }));
      for (let job = 0; job < 20; job += 1) {
        const taken = await Promise.all(nodes.map((node, index) => take(handles[index], node, now, `job${job}`)));
        expect(taken.filter(Boolean)).toEqual([true]);
      }
    });

    test('its holder renews it; nobody else gets it before it ran out, then whoever asks first', async () => {
      const db = await open();
      expect(await take(db, 'a', now)).toBe(true);
      expect(await take(db, 'b', now + seconds - 1)).toBe(false);
      expect(await take(db, 'a', now + seconds - 1)).toBe(true);
      expect(await take(db, 'b', now + seconds)).toBe(false);
      expect(await take(db, 'b', now + 2 * seconds - 2)).toBe(false);
      expect(await take(db, 'b', now + 2 * seconds - 1)).toBe(true);
      expect(await take(db, 'a', now + 2 * seconds)).toBe(false);
      expect(await db.read.selectFrom('job_lease').selectAll().execute()).toEqual([
        { name: 'job', node: 'b', lease_until: now + 3 * seconds - 1 },
      ]);
    });

    test('one that was taken by a clock a day ahead is free once the clock is set back', async () => {
      const db = await open();
      expect(await take(db, 'a', now + 86_400)).toBe(true);
      expect(await take(db, 'b', now)).toBe(true);
      expect(await take(db, 'a', now - 60)).toBe(false);
      expect(await take(db, 'a', now)).toBe(false);
    });

    test('who said by a clock a day ahead that it lives or runs does not for a day after that was set back', async () => {
      const db = await open();
      const node = { name: 'dead', isWorker: false, version: '1', aheadMs: 0, behindMs: 0, charges: 0 };
      await announceNode(db, node, now + 86_400);
      expect(await presentNodes(db, now)).toEqual([]);
      await announceNode(db, { ...node, name: 'alive' }, now);
      expect((await presentNodes(db, now)).map(({ name }) => name)).toEqual(['alive']);
      const clock = new FakeClock((now + 86_400) * 1000);
      const board = createRunBoard<string>({ db, clock, node: 'dead', run: 'import' });
      expect(await board.tell('half of it')).toBe(true);
      expect(await board.read()).toEqual({ state: 'half of it', isRunning: true });
      clock.skewMs(-86_400_000);
      expect(await board.read()).toEqual({ state: 'half of it', isRunning: false });
    });

    test('each job has one of its own', async () => {
      const db = await open();
      expect(await take(db, 'a', now, 'one')).toBe(true);
      expect(await take(db, 'b', now, 'two')).toBe(true);
      expect(await take(db, 'b', now, 'one')).toBe(false);
    });
  });
});
