import { expect, test } from 'vitest';
import { onPostgres, onSqlite } from '../../test/engines.ts';
import { systemClock } from '../platform/clock.ts';
import { startDatabaseClock } from './database-clock.ts';

const warned: string[] = [];
const quiet = {
  fatal: () => {},
  error: () => {},
  warn: (_: object, line: string) => warned.push(line),
  info: () => {},
  debug: () => {},
};

onPostgres((_engine, open) => {
  test('whatever the machine says or is set to, nodes go by the database’s clock', async () => {
    const db = await open();
    let skewMs = -86_400_000;
    const machine = { ...systemClock, nowMs: () => Date.now() + skewMs };
    const { clock, aheadMs, stop } = await startDatabaseClock({ db, machine, log: quiet as never });
    for (skewMs of [-86_400_000, 0, 3_600_000]) {
      expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1_000);
      expect(Math.abs(aheadMs() - skewMs)).toBeLessThan(1_000);
    }
    expect(Number.isSafeInteger(clock.nowMs())).toBe(true);
    expect(warned).toHaveLength(1);
    stop();
  });

  test('a database whose clock was set is followed at once by who asks for it', async () => {
    let aheadMs = 0;
    const machine = { ...systemClock, monotonicMs: () => performance.now() + aheadMs };
    const { clock, look, stop } = await startDatabaseClock({ db: await open(), machine, log: quiet as never });
    // To this process it is the same whether the database goes back or it goes ahead itself.
    aheadMs = 3_600_000;
    expect(clock.nowMs() - Date.now()).toBeGreaterThan(3_599_000);
    await look();
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1_000);
    stop();
  });
});

onSqlite((_engine, open) => {
  test('the embedded database has no clock but its machine’s', async () => {
    const { clock, aheadMs } = await startDatabaseClock({ db: await open(), machine: systemClock, log: quiet as never });
    expect([clock, aheadMs()]).toEqual([systemClock, 0]);
  });
});
