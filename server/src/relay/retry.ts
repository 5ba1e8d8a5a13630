import type { Options } from '../settings/index.ts';

/** Statuses that another channel may answer better (contract 6.4): 429, 307, 5xx and most 4xx, never 400, 408, 504, 524. */
export function isRetryable(status: number): boolean {
  if (status === 429 || status === 307) return true;
  if (status === 400 || status === 408 || status === 504 || status === 524) return false;
  return status < 200 || status >= 300;
}

/** Channels that one call may try: a pinned one alone. */
export function attemptLimit(options: Pick<Options, 'RetryTimes'>, pinned: number | undefined): number {
  return pinned === undefined ? 1 + options.RetryTimes : 1;
}

/** Applies a channel's status map (contract 4.10) to an upstream status other than 200. */
export function mapStatus(status: number, mapping: ReadonlyMap<number, number>): number {
  return mapping.get(status) ?? status;
}

const windowMs = 10_000;
const minimum = 20;
const share = 0.2;

/** Bounds how many retries a node makes: max(20, 20 % of its calls) per 10 s (rulings 12), so that a dying upstream is not hammered. */
export interface RetryBudget {
  countCall(): void;
  /** Takes one retry from the budget; false when it is used up. */
  take(): boolean;
}

export function createRetryBudget(monotonicMs: () => number): RetryBudget {
  let windowStart = monotonicMs();
  let calls = 0;
  let retries = 0;
  const roll = () => {
    const now = monotonicMs();
    if (now - windowStart < windowMs) return;
    windowStart = now;
    calls = 0;
    retries = 0;
  };
  return {
    countCall() {
      roll();
      calls++;
    },
    take() {
      roll();
      if (retries >= Math.max(minimum, calls * share)) return false;
      retries++;
      return true;
    },
  };
}
