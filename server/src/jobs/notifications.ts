import { type JobRunner, stopAll } from './runner.ts';

interface Parts {
  readonly dispatcher: { tick(): Promise<void> };
  readonly quotaWatch: { tick(): Promise<void> };
  readonly alerts: { tick(): Promise<void> };
  readonly tellPriceChanges: () => Promise<unknown>;
  readonly tellComingPrices: () => Promise<unknown>;
  readonly tellEndingKeys: () => Promise<unknown>;
}

/** A letter that is on its way is not sent twice: long enough for what a mail server is given. */
const sentWithinMs = 30_000;
const sendEveryMs = 2_000;
const quotaEveryMs = 5_000;
const alertsEveryMs = 60_000;

/** Looks for what people should be told and sends what is due. `stop` resolves when nothing is being sent any more. */
export function startNotifications(
  { dispatcher, quotaWatch, alerts, ...tell }: Parts,
  { runner }: { runner: JobRunner },
): { stop(): Promise<void> } {
  const start = (name: string, everyMs: number, turn: () => Promise<unknown>) =>
    runner.start({
      ...{ name, everyMs, stopWithinMs: sentWithinMs, failed: `${name} could not be looked after; trying again` },
      async turn() {
        await turn();
      },
    });
  const jobs = [
    start('notices', sendEveryMs, dispatcher.tick),
    start('quota-watch', quotaEveryMs, quotaWatch.tick),
    start('alerts', alertsEveryMs, async () => {
      const { tellPriceChanges, tellComingPrices, tellEndingKeys } = tell;
      const ended = await Promise.allSettled([alerts.tick(), tellPriceChanges(), tellComingPrices(), tellEndingKeys()]);
      const faults = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      if (faults.length > 0) throw new AggregateError(faults, 'some of it could not be told');
    }),
  ];
  return { stop: stopAll(jobs) };
}
