/**
 * Counts of durations in buckets whose bounds grow by 2^(1/4). A percentile is told as its bucket's geometric middle:
 * at most 9.1 % beside the true one. As text `bucket:count,...`, so that joined texts are sums.
 */
export type Histogram = Map<number, number>;

const bucketsPerDoubling = 4;
/** 2^24 ms: over four hours. */
const lastBucket = 24 * bucketsPerDoubling;

/** Adds one duration in milliseconds; none below 1 ms. */
export function addDuration(histogram: Histogram, durationMs: number): void {
  if (durationMs < 1) return;
  const bucket = Math.min(lastBucket, Math.floor(Math.log2(durationMs) * bucketsPerDoubling));
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

/** Adds all durations of another histogram. */
export function addAll(histogram: Histogram, more: Histogram): void {
  for (const [bucket, count] of more) histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

const [comma, colon, zero] = [',', ':', '0'].map((sign) => sign.charCodeAt(0)) as [number, number, number];
/** What a double holds exactly. */
const maxDigits = 15;

/** Adds what a text says; the same bucket may stand in it several times. Anything unreadable counts as nothing. */
export function addText(histogram: Histogram, text: string): void {
  // By hand: texts of 90 days are megabytes, and this runs beside the calls.
  const counts = new Float64Array(lastBucket + 1);
  let bucket = -1;
  let value = 0;
  let digits = 0;
  let isReadable = true;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : comma;
    const digit = code - zero;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits += 1;
    } else if (code === comma) {
      if (isReadable && bucket >= 0 && bucket <= lastBucket && digits > 0 && digits <= maxDigits)
        counts[bucket] = (counts[bucket] ?? 0) + value;
      bucket = -1;
      value = 0;
      digits = 0;
      isReadable = true;
    } else if (code === colon && bucket < 0 && digits > 0 && digits <= maxDigits) {
      bucket = value;
      value = 0;
      digits = 0;
    } else isReadable = false;
  }
  for (const [found, count] of counts.entries()) {
    if (count > 0) histogram.set(found, (histogram.get(found) ?? 0) + count);
  }
}

export function histogramText(histogram: Histogram): string {
  // Most rows of the sums get one duration more.
  if (histogram.size <= 1) {
    for (const [bucket, count] of histogram) return `${bucket}:${count}`;
    return '';
  }
  return [...histogram]
    .sort(([left], [right]) => left - right)
    .map(([bucket, count]) => `${bucket}:${count}`)
    .join(',');
}

export interface Percentiles {
  /** Durations that were counted. */
  samples: number;
  /** Milliseconds; 0 without samples. */
  p50: number;
  p90: number;
  p99: number;
}

/** Whole milliseconds, nearest rank. */
export function percentiles(histogram: Histogram): Percentiles {
  const buckets = [...histogram].sort(([left], [right]) => left - right);
  const samples = buckets.reduce((sum, [, count]) => sum + count, 0);
  return {
    samples,
    p50: atRank(buckets, samples * 0.5),
    p90: atRank(buckets, samples * 0.9),
    p99: atRank(buckets, samples * 0.99),
  };
}

function atRank(buckets: readonly (readonly [bucket: number, count: number])[], rank: number): number {
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (seen >= rank) return Math.round(2 ** ((bucket + 0.5) / bucketsPerDoubling));
  }
  return 0;
}
