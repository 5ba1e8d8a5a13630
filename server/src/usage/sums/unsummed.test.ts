import { type DashboardQuery, type LogQuery, logType } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { anything, begin, day, hour, rollAll, rollupOn, usageRow } from '../../../test/usage-kit.ts';
import { createDashboards } from '../dashboard/dashboard.ts';
import { createLogs } from '../log/logs.ts';
import { spentSince } from './spent.ts';
import { mostUnsummed, usageSums } from './sums.ts';

const clock = new FakeClock((begin + hour) * 1000);
const noFilter = { username: '', token_name: '', model_name: '', channel: 0, group: '' };
const look: DashboardQuery = {
  ...noFilter,
  start_timestamp: begin - day,
  end_timestamp: 0,
  granularity: 'day',
  time_zone: 'UTC',
};
const list: LogQuery = {
  ...{ ...noFilter, p: 1, page_size: 10, before: 0, type: logType.unknown, start_timestamp: 0, end_timestamp: 0 },
  ...{ request_id: '', upstream_request_id: '', ip: '' },
};

onEachEngine((_name, open) => {
  test('whoever looks waits for no backlog: the newest rows are read, and what is left out is told until it is summed', async () => {
    const db = await open();
    const ids = [1, 2, 3, mostUnsummed + 3];
    await db.transaction((tx) =>
      tx.query
        .insertInto('log')
        .values(ids.map((id) => ({ id, ...usageRow({ created_at: begin }) })))
        .execute(),
    );
    const read = async () => {
      const dashboards = createDashboards({ db, clock, options: () => ({ DataExportInterval: 5 }), openBreakers: () => 0 });
      const page = await dashboards.read({ kind: 'all' }, look);
      const own = await dashboards.read({ kind: 'own', userId: 1 }, look);
      const [hourly] = await dashboards.byModel(look);
      const logs = createLogs({ db, clock, quotaPerUnit: () => 1 });
      return {
        calls: [page.totals, page.models[0], page.users[0], page.channels[0], own.totals, own.tokens[0]].map(
          (sums) => sums?.calls,
        ),
        hourly: hourly?.count,
        told: [page.unsummed, own.unsummed],
        stat: await logs.stat({ kind: 'all' }, list),
      };
    };
    const rates = { rpm: 0, tpm: 0 };
    const some = { calls: [1, 1, 1, 1, 1, 1], hourly: 1, told: [3, 3], stat: { quota: 10, unsummed: 3, ...rates } };
    expect(await read()).toEqual(some);
    // What decides and what is proved knows all.
    expect((await usageSums(db.read, anything)).calls).toBe(4);
    expect(await spentSince(db.read, { userId: 1, tokenId: undefined }, begin)).toBe(40);
    await rollAll(rollupOn(db));
    expect(await read()).toEqual({ calls: [4, 4, 4, 4, 4, 4], hourly: 4, told: [0, 0], stat: { quota: 40, ...rates } });
  });
});
