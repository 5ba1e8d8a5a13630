import { expect, test } from 'vitest';
import { defaultOptions } from '../../test/channel-rows.ts';
import { onSqlite } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createAgents } from './service.ts';

onSqlite((_name, open) => {
  test('sums and lists of agents are read where nothing quick waits', async () => {
    const db = await open();
    const { own, all } = createAgents({
      ...{
        db: { ...db, read: undefined as never },
        clock: new FakeClock(1_764_000_000_000),
        changes: { notify: () => undefined },
      },
      options: () => ({ ...defaultOptions, AgentEnabled: true }),
    });
    const page = { p: 1, page_size: 10 };
    const range = { agent_id: 1, start_timestamp: 0, end_timestamp: 0, status: undefined };
    const days = { ...range, time_zone: '', offset: 0 };
    const dividends = { ...range, ...page };
    const withdrawals = { ...dividends, order: 'newest' } as const;
    const agents = { keyword: '', status: undefined };
    expect(await own.self(1, 'code', 0)).toBeNull();
    const pages = await Promise.all([
      ...[own.customers(1, page), own.dividends(dividends), own.withdrawals(withdrawals)],
      ...[all.list({ ...agents, ...page }), all.dividends(dividends), all.withdrawals(withdrawals)],
    ]);
    expect(pages.map(({ total }) => total)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await all.summary()).toMatchObject({ active: 0, total_earned: 0 });
    for (const earnings of [await own.earnings(days), await all.earnings(days)]) expect(earnings).toHaveLength(30);
    const texts = [
      ...[own.customersCsv(1), own.dividendsCsv(range), own.withdrawalsCsv(range)],
      ...[all.csv(agents), all.dividendsCsv(range), all.withdrawalsCsv(range)],
    ];
    for (const text of texts) expect((await text.next()).done).toBe(false);
  });
});
