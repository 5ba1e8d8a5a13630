import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { blankUser } from '../identity/registration.ts';
import { earningsByDay } from './earnings.ts';

const at = (text: string): number => Date.parse(text) / 1000;

onEachEngine((_name, open) => {
  test('days of earnings begin at midnight before and after the clocks are changed', async () => {
    const db = await open();
    // 00:30 on the 25th, hours before the change, and 23:30 on the 1st, days after it.
    const came = ['2026-10-24T22:30Z', '2026-11-01T22:30Z'].map(at);
    await db.transaction(async (tx) => {
      const rows = came.map((time) => ({
        ...blankUser(time),
        ...{ username: `u${time}`, display_name: '', password_hash: '', aff_code: `${time}`, inviter_id: 7 },
      }));
      await tx.query.insertInto('users').values(rows).execute();
    });
    const range = { agent_id: 7, start_timestamp: at('2026-10-20T22:00Z'), end_timestamp: 0 };
    const read = (time_zone: string, offset = 0) =>
      earningsByDay(db.read, { ...range, time_zone, offset }, at('2026-11-01T22:45Z'));
    const days = await read('Europe/Berlin');
    expect(days).toHaveLength(12);
    expect(days.filter(({ customers }) => customers > 0)).toMatchObject([
      { time: at('2026-10-24T22:00Z'), customers: 1 },
      { time: at('2026-10-31T23:00Z'), customers: 1 },
    ]);
    expect((await read('', 120)).at(-1)).toMatchObject({ time: at('2026-11-01T22:00Z'), customers: 1 });
    await expect(read('Europe/Nowhere')).rejects.toMatchObject({ code: 'parameter_error' });
  });
});
