import type { Dashboard, DashboardChannel, Granularity, UsageTotals } from '@tollgate/contract';
import { formatTime } from '../../lib/time.ts';
import type { Metric } from './search.ts';

/** The time span of a point within the range that was asked for; unix seconds, inclusive. */
export function spanOf({ buckets, start, end }: Pick<Dashboard, 'buckets' | 'start' | 'end'>, point: number) {
  const from = Math.max(start, buckets[point] ?? start);
  const to = Math.min(end, (buckets[point + 1] ?? end + 1) - 1);
  return { from, to };
}

/** A point's begin in local time, as short as its kind allows. */
export function pointLabel(seconds: number, by: Granularity): string {
  const text = formatTime(seconds);
  return by === 'hour' ? text.slice(5, 16) : text.slice(5, 10);
}

/** Parts of a whole as fractions; all 0 when there is nothing. */
export function shares(values: readonly number[]): number[] {
  const whole = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => (whole === 0 ? 0 : value / whole));
}

/** Successes among all that ended; undefined when nothing did. */
export function successOf({ calls, errors }: Pick<UsageTotals, 'calls' | 'errors'>): number | undefined {
  return calls + errors === 0 ? undefined : calls / (calls + errors);
}

/** Off by itself, kept from calls now, or failing one call in ten. */
export const isInTrouble = (channel: DashboardChannel): boolean =>
  channel.status === 3 || channel.open_breakers > 0 || (successOf(channel) ?? 1) < 0.9;

/** 0.9983 -> "99.83%"; never "100%" for less than all. */
export function percent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined) return '–';
  const scale = 10 ** digits;
  const value = share >= 1 ? 100 : Math.floor(share * 100 * scale) / scale;
  return `${Number(value.toFixed(digits))}%`;
}

/** 840 -> "840 ms", 1530 -> "1.53 s", 75000 -> "75 s"; nothing measured -> "–". */
export function duration(ms: number, samples: number): string {
  if (samples === 0) return '–';
  if (ms < 1000) return `${ms} ms`;
  return `${Number((ms / 1000).toPrecision(3))} s`;
}

/** 0.42 -> "0.42", 17.3 -> "17", 12345 -> "12,345". */
export function rate(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

/**
 * The points as CSV: one line per point, one column per model. Cells that a spreadsheet would run are quoted as text, and it
 * takes the file for UTF-8 by the mark before it. Where `unit` of quota are a dollar they are dollars, as in the chart.
 */
export function seriesCsv(
  dashboard: Dashboard,
  metric: Metric,
  words: { time: string; total: string; others: string },
  unit = 1,
): string {
  const names = dashboard.models.map(({ model_name }) => model_name || words.others);
  const lines = dashboard.buckets.map((begin, point) => {
    const values = dashboard.models.map(({ series }) => series[point]?.[metric] ?? 0);
    const cells = [values.reduce((sum, value) => sum + value, 0), ...values];
    return [formatTime(begin), ...cells.map((value) => (unit === 1 ? value : (value / unit).toFixed(6)))].join(',');
  });
  // The times are the browser's, which who is sent the file does not see.
  const time = `${words.time} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
  return `\uFEFF${[[time, unit === 1 ? words.total : `${words.total} ($)`, ...names].map(csvCell).join(','), ...lines].join('\n')}`;
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
