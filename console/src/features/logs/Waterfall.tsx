import type { RouteAttempt } from '@tollgate/contract';
import { route_waterfall, route_waterfall_bar, route_waterfall_cut } from '../../i18n/generated/messages.ts';
import { barsOf } from './attempt-bars.ts';

/** What each attempt of a call spent, one bar below the other on one scale: pale until its first byte, full after it. */
export function Waterfall({ attempts }: { attempts: readonly RouteAttempt[] }) {
  const { bars, totalMs } = barsOf(attempts);
  if (totalMs <= 0) return null;
  const share = (ms: number) => `${(100 * ms) / totalMs}%`;
  return (
    <ol className="mb-2 flex max-w-xl flex-col gap-1.5 text-xs tabular-nums" aria-label={route_waterfall()}>
      {bars.map(({ order, channelId, startMs, headMs, endMs, isBad }) => {
        const facts = { order, channel: channelId, start: startMs, end: endMs, ms: endMs - startMs };
        return (
          <li key={order}>
            <span className="text-muted">{isBad ? route_waterfall_cut(facts) : route_waterfall_bar(facts)}</span>
            <span aria-hidden className="flex h-2 overflow-hidden rounded-sm bg-grey-tint">
              <span style={{ width: share(startMs) }} />
              <span
                className={`min-w-px opacity-40 ${isBad ? 'bg-bad' : 'bg-accent'}`}
                style={{ width: share(headMs - startMs) }}
              />
              <span className={`min-w-px ${isBad ? 'bg-bad' : 'bg-accent'}`} style={{ width: share(endMs - headMs) }} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
