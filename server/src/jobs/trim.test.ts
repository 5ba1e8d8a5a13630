import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createJobRunner } from './runner.ts';
import { startTrim } from './trim.ts';

const hourMs = 3_600_000;
const monthMs = 30 * 24 * hourMs;

onEachEngine((_engine, open) => {
  test('a clock that is set months ahead makes nothing old for a day, in which it may be set right', async () => {
    const db = await open();
    const clock = new FakeClock(1_800_000_000_000);
    const log = captureLog();
    const row = { id: 'r', user_id: 1, token_id: 0, collected: 0, log_id: 0, closed_at: clock.nowMs() / 1000 };
    await db.transaction((tx) => tx.query.insertInto('swept').values(row).execute());
    const job = startTrim({ db, clock, log, runner: createJobRunner({ clock, log }) });
    /** Whether the row is there after so many turns of six hours each. */
    const isKeptFor = async (turns: number) => {
      for (let turn = 0; turn < turns; turn += 1) {
        clock.advanceMs(6 * hourMs);
        await job.tick();
      }
      return (await db.read.selectFrom('swept').select('id').execute()).length === 1;
    };
    clock.skewMs(4 * monthMs);
    expect(await isKeptFor(4)).toBe(true);
    clock.skewMs(-4 * monthMs);
    expect(await isKeptFor(8)).toBe(true);
    clock.skewMs(4 * monthMs);
    expect(await isKeptFor(4)).toBe(true);
    expect(await isKeptFor(1)).toBe(false);
    await job.stop();
  });
});
