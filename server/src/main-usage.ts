import { startLogUpkeep } from './jobs/log-upkeep.ts';
import type { JobRunner } from './jobs/runner.ts';
import { type Clock, nowSeconds } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import type { Options } from './settings/index.ts';
import type { Database } from './storage/database.ts';
import { createTaskExpiry } from './tasks/index.ts';
import {
  createBodyLog,
  createCleanupRun,
  createDashboards,
  createErrorLog,
  createLogs,
  createSealer,
  type DashboardDeps,
  isSummedElsewhere,
  keepLogWindows,
} from './usage/index.ts';

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  runner: JobRunner;
  /** Name of this process among the nodes. */
  node: string;
  options: () => Options;
  openBreakers: DashboardDeps['openBreakers'];
}

/** Reading the log, and what looks after it. */
export function createUsage({ db, clock, log, runner, node, options, openBreakers }: Parts) {
  const logCleanup = createCleanupRun({ db, clock, log, node });
  const errorLog = createErrorLog({ db, clock, log, enabled: () => options().ErrorLogEnabled });
  const bodyLog = createBodyLog({ db, clock, log, days: () => options().LogBodyDays });
  const upkeep = startLogUpkeep({
    ...{ bodyLog, runner, sealer: createSealer({ db }) },
    tasks: createTaskExpiry({ db, clock, days: () => options().TaskKeepDays }),
    isElsewhere: () => isSummedElsewhere(db, node, nowSeconds(clock)),
    keepWindows: () => keepLogWindows(db, nowSeconds(clock)),
  });
  return {
    services: {
      logs: createLogs({ db, clock, quotaPerUnit: () => options().QuotaPerUnit }),
      logCleanup,
      bodyLog,
      dashboards: createDashboards({ db, clock, options, openBreakers }),
    },
    sinks: { errorLog, bodyLog },
    /** When no call is under way any more. */
    async stop() {
      await Promise.all([upkeep.stop(), logCleanup.stop(), errorLog.stop(), bodyLog.stop()]);
    },
  };
}
