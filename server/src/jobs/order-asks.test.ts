import { afterEach, expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Database } from '../storage/database.ts';
import { startOrderAsks } from './order-asks.ts';
import { createJobRunner } from './runner.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Nodes with one clock over one database; `work` says what a batch found. */
function cluster(db: Database, work: (batch: number) => Promise<{ asked: number; credited: number }>) {
  const clock = new FakeClock(1_800_000_000_000);
  const log = captureLog();
  const runner = createJobRunner({ clock, log });
  const ran: string[] = [];
  const node = (name: string) => {
    const askDue = () => {
      ran.push(name);
      return work(ran.length);
    };
    return startOrderAsks({ topups: { askDue }, db, clock, log, runner, node: name });
  };
  return { clock, log, ran, node };
}

onEachEngine((_engine, open) => {
  test('one node asks about orders; another takes over when it was silent for its lease', async () => {
    const { clock, ran, node } = cluster(await open(), async () => ({ asked: 0, credited: 0 }));
    const [first, second] = [node('first'), node('second')];
    await first.tick();
    await Promise.all([second.tick(), first.tick()]);
    expect(ran).toEqual(['first', 'first']);
    clock.advanceMs(120_000);
    await second.tick();
    await first.tick();
    expect(ran).toEqual(['first', 'first', 'second']);
    await Promise.all([first.stop(), second.stop()]);
  });

  test('a turn has an end, says what was lost, and survives a failure', async () => {
    const { log, ran, node } = cluster(await open(), async (batch) => {
      if (batch === 26) throw new Error('no database');
      return { asked: 4, credited: batch === 2 ? 1 : 0 };
    });
    const job = node('only');
    await job.tick();
    expect(ran).toHaveLength(25);
    expect(log.lines).toMatchObject([{ level: 'warn', text: expect.stringContaining('{"credited":1}') }]);
    await job.tick();
    expect(log.lines.at(-1)).toMatchObject({ level: 'warn', text: expect.stringContaining('no database') });
    await job.tick();
    expect(ran).toHaveLength(26 + 25);
    await job.stop();
  });

  test('each minute, and not once it is stopped: the turn under way ends after its questions', async () => {
    const db = await open();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { ran, node } = cluster(db, async () => {
      await answered;
      return { asked: 4, credited: 0 };
    });
    const job = node('only');
    await vi.advanceTimersByTimeAsync(60_000);
    await expect.poll(() => ran.length).toBe(1);
    const stopping = job.stop();
    answer();
    await stopping;
    await job.tick();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ran).toHaveLength(1);
  });
});
