import type { Clock } from '../platform/clock.ts';
import { watchEvery } from '../platform/watch-every.ts';
import { within } from '../platform/within.ts';

/** Something that wants to be looked at about once a second while it runs. */
export interface Ticking {
  /** `stoodMs`: how long before this look the whole process stood still. */
  tick(monotonicMs: number, stoodMs: number): void;
  /** The process is about to end. */
  shutdown(): void;
}

/** All open relay calls of this process: one timer for all of them, and the door that drain closes. */
export interface ActiveCalls {
  readonly size: number;
  add(call: Ticking): void;
  remove(call: Ticking): void;
  /** Resolves when nothing is open, or some seconds after `over`, when what is left is told to shut down. */
  drain(over: Promise<void>): Promise<void>;
  stop(): void;
}

const tickMs = 500;
const shutdownGraceMs = 5_000;

export function createActiveCalls(clock: Clock): ActiveCalls {
  // An array: a Set leaves dead tables behind that keep finished calls alive until the next full garbage collection.
  const calls: Ticking[] = [];
  let idle: (() => void) | undefined;
  const timer = watchEvery(tickMs, (stoodMs) => {
    const now = clock.monotonicMs();
    // Backwards: a call that ends meanwhile is replaced by one that was looked at already.
    for (let index = calls.length - 1; index >= 0; index -= 1) calls[index]?.tick(now, stoodMs);
  });
  timer.unref();

  const untilIdle = () =>
    new Promise<void>((resolve) => {
      if (calls.length === 0) return resolve();
      idle = resolve;
    });

  return {
    get size() {
      return calls.length;
    },
    add: (call) => void calls.push(call),
    remove(call) {
      // From the end: most calls are short, and the youngest stand there.
      const index = calls.lastIndexOf(call);
      const last = calls.at(-1);
      if (index < 0 || last === undefined) return;
      calls[index] = last;
      calls.pop();
      if (calls.length === 0) idle?.();
    },
    async drain(over) {
      await Promise.race([untilIdle(), over]);
      for (const call of [...calls]) call.shutdown();
      await within(untilIdle(), shutdownGraceMs, () => undefined);
    },
    stop: () => clearInterval(timer),
  };
}
