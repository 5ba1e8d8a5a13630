import type { Log } from '../platform/log.ts';

interface Parts {
  readonly dispatcher: { tick(): Promise<void> };
  readonly quotaWatch: { tick(): Promise<void> };
  readonly alerts: { tick(): Promise<void> };
  readonly tellPriceChanges: () => Promise<unknown>;
  readonly tellEndingKeys: () => Promise<unknown>;
}

const sendEveryMs = 2_000;
const quotaEveryMs = 5_000;
const alertsEveryMs = 60_000;

/** Looks for what people should be told and sends what is due. `stop` resolves when nothing is being sent any more. */
export function startNotifications(
  { dispatcher, quotaWatch, alerts, tellPriceChanges, tellEndingKeys }: Parts,
  log: Log,
): { stop(): Promise<void> } {
  const told = (work: () => Promise<unknown>, what: string) =>
    work().catch((error: unknown) => log.warn({ err: error }, `${what} could not be told; trying again`));
  const jobs = [
    every(sendEveryMs, dispatcher.tick),
    every(quotaEveryMs, quotaWatch.tick),
    every(alertsEveryMs, async () => {
      await alerts.tick();
      await told(tellPriceChanges, 'price changes');
      await told(tellEndingKeys, 'keys that end soon');
    }),
  ];
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

/** One turn at a time; one that takes long is not hurried. */
function every(ms: number, turn: () => Promise<unknown>): { stop(): Promise<void> } {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= turn().finally(() => {
      running = undefined;
    });
  }, ms);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
