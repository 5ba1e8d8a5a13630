import { languageTag } from '../i18n/language.ts';
import { formatRelative, formatTime, formatUtc, nowSeconds } from '../lib/time.ts';

/** An instant in local time; how long ago, UTC and unix seconds in the tooltip. */
export function Time({ seconds }: { seconds: number }) {
  const tip = `${formatRelative(seconds, nowSeconds(), languageTag())}\n${formatUtc(seconds)}\n${seconds}`;
  return (
    <time className="whitespace-nowrap tabular-nums" dateTime={new Date(seconds * 1000).toISOString()} data-tip={tip}>
      {formatTime(seconds)}
    </time>
  );
}
