import { afterEach, expect, test, vi } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { insertRows } from '../storage/statements.ts';
import { createBodyLog } from '../usage/index.ts';
import { startLogUpkeep } from './log-upkeep.ts';
import { createJobRunner } from './runner.ts';

const daySeconds = 86_400;
const quiet = { fatal: () => {}, error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const columns = ['request_id', 'user_id', 'created_at', 'status', 'request', 'response', 'truncated'];
afterEach(() => void vi.useRealTimers());

onEachEngine((_engine, open) => {
  test('however many bodies are past their days, they go at once, a few at a time with room for calls in between', async () => {
    const db = await open();
    const clock = new FakeClock(1_800_000_000_000);
    const bodyLog = createBodyLog({ db, clock, log: quiet, days: () => 1 });
    const now = clock.nowMs() / 1000;
    const rows = (count: number, at: number) =>
      Array.from({ length: count }, (_, index) => [`r${at}-${index}`, 1, at, 200, 'question', 'answer', 0]);
    const bodies = [...rows(230, now - 2 * daySeconds), ...rows(70, now - daySeconds / 2)];
    await db.transaction((tx) => tx.perform(insertRows('log_body', columns, bodies)));
    let tell: (deleted: number) => void = () => undefined;
    const expire = async (limit: number) => {
      const deleted = await bodyLog.expire(limit);
      tell(deleted);
      return deleted;
    };
    const seal = vi.fn(async () => 0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const looked = {
      runner: createJobRunner({ clock, log: quiet }),
      isElsewhere: async () => false,
      keepWindows: async () => undefined,
      tasks: { expire: async () => 0 },
    };
    const upkeep = startLogUpkeep({ ...looked, bodyLog: { expire }, sealer: { seal } });
    const after = async (ms: number) => {
      const told = new Promise<number>((resolve) => {
        tell = resolve;
      });
      vi.advanceTimersByTime(ms);
      const deleted = await told;
      // The next step is armed by now.
      await new Promise((resolve) => setImmediate(resolve));
      return deleted;
    };
    const steps = [await after(5_000)];
    while (steps.at(-1) === 50) steps.push(await after(10));
    expect(steps).toEqual([50, 50, 50, 50, 30]);
    expect(await db.read.selectFrom('log_body').select('created_at').distinct().execute()).toEqual([
      { created_at: now - daySeconds / 2 },
    ]);
    expect(seal).toHaveBeenCalledTimes(1);
    expect(await after(5_000)).toBe(0);
    expect(seal).toHaveBeenCalledTimes(2);
    await upkeep.stop();
    await bodyLog.stop();
  });
});
