import type { Ledger, Signer } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Call } from './call.ts';
import { type CallOutcome, draftLog } from './log-draft.ts';

export interface SettlerParts {
  readonly ledger: Ledger;
  readonly sign: Signer;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a settle is repeated before it is left to the sweeper. */
  readonly leaseSeconds: number;
}

/** Closes holds. Both resolve when the close is durable; a failing database is retried, never ignored. */
export interface Settler {
  settle(call: Call, outcome: Omit<CallOutcome, 'durationMs'>): Promise<void>;
  release(callId: string): Promise<void>;
}

const firstPauseMs = 50;
const longestPauseMs = 5_000;

export function createSettler({ ledger, sign, clock, log, leaseSeconds }: SettlerParts): Settler {
  const insist = async (callId: string, what: string, attempt: () => Promise<unknown>): Promise<void> => {
    const deadline = clock.monotonicMs() + leaseSeconds * 1000;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await attempt();
        return;
      } catch (error) {
        if (clock.monotonicMs() + pauseMs > deadline) {
          log.error({ err: error, requestId: callId }, `${what} failed until the lease ended; the sweeper closes this hold`);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };
  return {
    settle(call, outcome) {
      const durationMs = clock.monotonicMs() - call.startedMonotonicMs;
      const { cost, draft } = draftLog(call, { ...outcome, durationMs }, sign);
      return insist(call.id, 'settle', () => ledger.settle({ id: call.id, cost, now: nowSeconds(clock), draft }));
    },
    release: (callId) => insist(callId, 'release', () => ledger.release(callId)),
  };
}
