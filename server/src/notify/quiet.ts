import type { QuietHours } from '@tollgate/contract';

const minuteMs = 60_000;
const dayMinutes = 1440;

/**
 * When the quiet hours that `nowMs` lies in end, as unix milliseconds; undefined outside of them. On the days when clocks are
 * changed the end may be off by what they are changed by.
 */
export function quietUntil(quiet: QuietHours, nowMs: number): number | undefined {
  const minute = minuteOfDay(quiet.timezone, nowMs);
  if (minute === undefined) return undefined;
  const { start, end } = quiet;
  const inside = start <= end ? minute >= start && minute < end : minute >= start || minute < end;
  if (!inside) return undefined;
  const left = (end - minute + dayMinutes) % dayMinutes;
  return Math.floor(nowMs / minuteMs) * minuteMs + left * minuteMs;
}

/** Undefined: nobody knows such a time zone. */
function minuteOfDay(timeZone: string, nowMs: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' }).formatToParts(
      nowMs,
    );
    const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    return read('hour') * 60 + read('minute');
  } catch {
    return undefined;
  }
}

/** Whether this machine knows the time zone. */
export function isTimezone(name: string): boolean {
  return minuteOfDay(name, 0) !== undefined;
}
