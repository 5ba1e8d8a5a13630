import { afterEach, describe, expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Database } from '../storage/database.ts';
import { startDividends } from './dividends.ts';
import { createJobRunner } from './runner.ts';

interface Round {
  matured: number;
  more: boolean;
}

const done: Round = { matured: 0, more: false };
const leaseMs = 300_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Nodes with one clock over one database; `work` says what a batch does. */
function cluster(db: Database, work: (node: string, batch: number) => Promise<Round>) {
  const clock = new FakeClock(1_800_000_000_000);
  const log = captureLog();
  const runner = createJobRunner({ clock, log });
  /** Nodes in the order of their batches. */
  const ran: string[] = [];
  const node = (name: string, everySeconds = 60) => {
    const mature = async () => {
      ran.push(name);
      return work(name, ran.length);
    };
    return startDividends({ agents: { mature }, db, clock, log, runner, node: name, everySeconds });
  };
  return { clock, log, ran, node };
}

/** A promise and what resolves it. */
function gate() {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

onEachEngine((_engine, open) => {
  describe('dividends mature by themselves', () => {
    test('on one node, which keeps the job; another takes it over when that one was silent for its lease', async () => {
      const { clock, ran, node } = cluster(await open(), async () => done);
      const [first, second] = [node('first'), node('second')];
      await first.tick();
      await Promise.all([second.tick(), first.tick()]);
      expect(ran).toEqual(['first', 'first']);
      for (let minute = 0; minute < 9; minute += 1) {
        clock.advanceMs(60_000);
        await Promise.all([second.tick(), first.tick()]);
      }
      expect(new Set(ran)).toEqual(new Set(['first']));
      ran.length = 0;
      clock.advanceMs(leaseMs - 1000);
      await second.tick();
      expect(ran).toEqual([]);
      clock.advanceMs(1000);
      await second.tick();
      await first.tick();
      expect(ran).toEqual(['second']);
      first.stop();
      second.stop();
    });

    test('a node whose lease ran out while it worked leaves the rest to the one that took over', async () => {
      const held = gate();
      const { clock, ran, node } = cluster(await open(), async (name) => {
        if (name === 'slow') await held.passed;
        return { matured: 1, more: name === 'slow' };
      });
      const [slow, other] = [node('slow'), node('other')];
      const working = slow.tick();
      await expect.poll(() => ran).toEqual(['slow']);
      await other.tick();
      expect(ran).toEqual(['slow']);
      clock.advanceMs(leaseMs);
      await other.tick();
      held.open();
      await working;
      expect(ran).toEqual(['slow', 'other']);
      slow.stop();
      other.stop();
    });

    test('one turn at a time, in batches until nothing is due, with an end to them', async () => {
      const held = gate();
      const { log, ran, node } = cluster(await open(), async (_name, batch) => {
        if (batch === 1) await held.passed;
        return { matured: 2, more: batch !== 3 };
      });
      const job = node('only');
      const working = job.tick();
      await expect.poll(() => ran.length).toBe(1);
      const joined = job.tick();
      expect(ran).toHaveLength(1);
      held.open();
      await Promise.all([working, joined]);
      expect(ran).toHaveLength(3);
      expect(log.lines).toEqual([{ level: 'info', text: 'dividends can be withdrawn {"matured":6}' }]);
      await job.tick();
      expect(ran).toHaveLength(3 + 50);
      await job.stop();
    });

    test('a failure is told and the next turn works', async () => {
      const { log, ran, node } = cluster(await open(), async (_name, batch) => {
        if (batch === 1) throw new Error('no database');
        return done;
      });
      const job = node('only');
      await job.tick();
      expect(log.lines).toMatchObject([{ level: 'warn', text: expect.stringContaining('no database') }]);
      await job.tick();
      expect(ran).toHaveLength(2);
      await job.stop();
    });

    test('as often as it is told to, and not once it is stopped', async () => {
      const db = await open();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { ran, node } = cluster(db, async () => done);
      const job = node('only', 7);
      await vi.advanceTimersByTimeAsync(6_999);
      expect(ran).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      await expect.poll(() => ran.length).toBe(1);
      await job.stop();
      await vi.advanceTimersByTimeAsync(70_000);
      expect(ran).toHaveLength(1);
    });
  });
});
