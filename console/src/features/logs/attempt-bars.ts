import type { RouteAttempt } from '@tollgate/contract';

/** Milliseconds from the arrival of the call. */
interface WaterfallBar {
  readonly order: number;
  readonly channelId: number;
  readonly startMs: number;
  /** The first byte; the end when none came. */
  readonly headMs: number;
  readonly endMs: number;
  readonly isBad: boolean;
}

/** Older records do not say when an attempt began: then each follows the one before. */
export function barsOf(attempts: readonly RouteAttempt[]): { bars: readonly WaterfallBar[]; totalMs: number } {
  let afterMs = 0;
  const bars = attempts.map(({ channel_id, start_ms, ttfb_ms, ms, error }, index) => {
    const startMs = start_ms < 0 ? afterMs : start_ms;
    const endMs = startMs + ms;
    afterMs = endMs;
    const headMs = ttfb_ms < 0 ? endMs : Math.min(endMs, startMs + ttfb_ms);
    return { order: index + 1, channelId: channel_id, startMs, headMs, endMs, isBad: error !== '' };
  });
  return { bars, totalMs: Math.max(0, ...bars.map(({ endMs }) => endMs)) };
}
