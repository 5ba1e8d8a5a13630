import { expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createJobRunner } from './runner.ts';
import { startSweeper } from './sweeper.ts';

const hourMs = 3_600_000;

onEachEngine((_engine, open) => {
  test('when the clock is set forward no hold is swept until calls that run have renewed theirs', async () => {
    const db = await open();
    const clock = new FakeClock(1_800_000_000_000);
    const log = captureLog();
    const sweptAt: number[] = [];
    const ledger = {
      sweep: async (now: number) => {
        sweptAt.push(now);
        return 0;
      },
    };
    const runner = createJobRunner({ clock, log });
    const look = async () => undefined;
    const job = startSweeper({ db, ledger, clock, look, log, runner, everySeconds: 30, leaseSeconds: 120 });
    const turns = async (count: number) => {
      const before = sweptAt.length;
      for (let turn = 0; turn < count; turn += 1) {
        clock.advanceMs(30_000);
        await job.tick();
      }
      return sweptAt.length - before;
    };
    expect(await turns(2)).toBe(2);
    // Back, or by so little that no lease ends.
    clock.skewMs(-hourMs);
    expect(await turns(2)).toBe(2);
    clock.skewMs(20_000);
    expect(await turns(2)).toBe(2);
    clock.skewMs(2 * hourMs);
    expect(await turns(4)).toBe(0);
    expect(await turns(2)).toBe(2);
    expect(log.lines).toEqual([{ level: 'warn', text: expect.stringContaining('the clock was set forward') }]);
    await job.stop();
  });

  test('a clock that was set back, which other nodes have seen, is followed before their leases are judged', async () => {
    const db = await open();
    const clock = new FakeClock(1_800_000_000_000);
    const log = captureLog();
    const sweep = vi.fn(async () => 0);
    const look = async () => clock.skewMs(-hourMs);
    const parts = { db, ledger: { sweep }, clock, look, log, runner: createJobRunner({ clock, log }) };
    const job = startSweeper({ ...parts, everySeconds: 30, leaseSeconds: 120 });
    await job.tick();
    expect(sweep).toHaveBeenCalledWith(1_800_000_000 - 3_600);
    await job.stop();
  });
});
