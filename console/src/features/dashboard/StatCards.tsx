import { Link } from '@tanstack/react-router';
import { type Dashboard, logType, type User } from '@tollgate/contract';
import type { ReactNode } from 'react';
import {
  dash_balance,
  dash_cached,
  dash_calls,
  dash_first_token,
  dash_latency,
  dash_percentiles,
  dash_quota,
  dash_requests,
  dash_rpm,
  dash_success,
  dash_tokens,
  dash_tpm,
  dash_used,
} from '../../i18n/generated/messages.ts';
import { formatNumber, formatUnits } from '../../lib/money.ts';
import { nowSeconds } from '../../lib/time.ts';
import { Quota } from '../../ui/Quota.tsx';
import type { LogLink, LogTarget } from './links.ts';
import { duration, percent, rate, successOf } from './model.ts';

interface StatProps {
  label: string;
  children: ReactNode;
  /** Beside the value, smaller. */
  more?: ReactNode;
  /** Below it instead. */
  below?: ReactNode;
  /** Where the rows behind the number are. */
  search?: LogTarget;
}

function Stat({ label, children, more, below, search }: StatProps) {
  const value = <span className="inline-block min-h-6 font-semibold text-xl tabular-nums max-sm:text-lg">{children}</span>;
  return (
    <div className="card min-w-0 px-4 py-3">
      <dt className="truncate text-muted text-xs">{label}</dt>
      <dd className="mt-0.5 flex min-w-0 flex-wrap items-baseline gap-x-2">
        {search ? (
          <Link to="/log" search={search} className="min-h-6 text-fg decoration-dotted underline-offset-4 hover:underline">
            {value}
          </Link>
        ) : (
          value
        )}
        {more && <span className="text-muted text-xs tabular-nums">{more}</span>}
        {below && <span className="w-full text-muted text-xs tabular-nums">{below}</span>}
      </dd>
    </div>
  );
}

const grid = 'mb-3 grid grid-cols-2 gap-2 sm:grid-cols-3 md:grid-cols-4 lg:grid-cols-6 [&_dd_*]:whitespace-normal';
const Waiting = () => <span className="skeleton inline-block h-4 w-16 align-middle" />;

/** The log is read for a year at most. */
const longestSeconds = 365 * 86_400;

function everySince({ created_time, username }: User, forAll: boolean): LogTarget {
  const now = nowSeconds();
  const from = Math.max(created_time, now - longestSeconds);
  return { from, to: now + 3600, type: logType.consume, ...(forAll ? { user: username } : {}) };
}

/** What the account has, whatever the range is. */
function AccountStats({ self, isUnknown, forAll }: Pick<Props, 'self' | 'isUnknown' | 'forAll'>) {
  const own = self && everySince(self, forAll);
  const none = isUnknown ? '–' : <Waiting />;
  return (
    <>
      <div className="card min-w-0 px-4 py-3">
        <dt className="truncate text-muted text-xs">{dash_balance()}</dt>
        <dd className="mt-0.5 font-semibold text-xl max-sm:text-lg">
          {self ? (
            <Link to="/topup" className="min-h-6 text-fg decoration-dotted underline-offset-4 hover:underline">
              <Quota value={self.quota} />
            </Link>
          ) : (
            none
          )}
        </dd>
      </div>
      <Stat label={dash_used()} search={own}>
        {self ? <Quota value={self.used_quota} /> : none}
      </Stat>
      <Stat label={dash_requests()} search={own}>
        {self ? <Count value={self.request_count} /> : none}
      </Stat>
    </>
  );
}

function Count({ value }: { value: number }) {
  return <span data-tip={formatUnits(value)}>{formatNumber(value)}</span>;
}

interface Props {
  self: User | undefined;
  /** It could not be read. */
  isUnknown: boolean;
  dashboard: Dashboard | undefined;
  /** The numbers could not be read. */
  failed: boolean;
  link: LogLink;
  forAll: boolean;
}

/** The numbers above the charts; each leads to the rows that it sums. */
export function StatCards({ self, isUnknown, dashboard, failed, link, forAll }: Props) {
  const totals = dashboard?.totals;
  const success = totals && successOf(totals);
  const show = (value: ReactNode) => (dashboard ? value : failed ? '–' : <Waiting />);
  const spread = (of: 'latency' | 'first_token') => {
    const { p90 = 0, p99 = 0, samples = 0 } = totals?.[of] ?? {};
    // A line ends between the two, never before a unit.
    return `P90 ${duration(p90, samples)} · P99 ${duration(p99, samples)}`.replaceAll(/(?<!·) (?!·)/g, '\u00a0');
  };
  const middle = (of: 'latency' | 'first_token') => duration(totals?.[of].p50 ?? 0, totals?.[of].samples ?? 0);
  return (
    <dl className={grid}>
      <AccountStats {...{ self, isUnknown, forAll }} />
      <Stat label={dash_quota()} search={link()}>
        {show(<Quota value={totals?.quota ?? 0} />)}
      </Stat>
      <Stat label={dash_calls()} search={link()}>
        {show(<Count value={totals?.calls ?? 0} />)}
      </Stat>
      <Stat label={dash_tokens()} search={link()}>
        {show(<Count value={totals?.tokens ?? 0} />)}
      </Stat>
      <Stat label={dash_rpm()} search={link()}>
        {show(rate(dashboard?.rpm ?? 0))}
      </Stat>
      <Stat label={dash_tpm()} search={link()}>
        {show(rate(dashboard?.tpm ?? 0))}
      </Stat>
      <Stat
        label={dash_success()}
        search={link({ type: logType.error })}
        more={totals && totals.errors > 0 ? `${formatNumber(totals.calls)} : ${formatNumber(totals.errors)}` : undefined}
      >
        {show(percent(success, 2))}
      </Stat>
      <Stat label={`${dash_latency()} ${dash_percentiles()}`} below={spread('latency')} search={link()}>
        {show(middle('latency'))}
      </Stat>
      <Stat label={`${dash_first_token()} ${dash_percentiles()}`} below={spread('first_token')} search={link()}>
        {show(middle('first_token'))}
      </Stat>
      <Stat label={dash_cached()} search={link()}>
        {show(percent(totals?.cached))}
      </Stat>
    </dl>
  );
}
