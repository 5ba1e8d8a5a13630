import { useQuery } from '@tanstack/react-query';
import type { EarningsDay } from '@tollgate/contract';
import { ChartColumnStacked, Table2 } from 'lucide-react';
import {
  agent_day,
  agent_days,
  agent_days_of,
  agent_earned,
  agent_earnings,
  agent_earnings_none,
  agent_earnings_table,
  agent_matured,
  agent_metric_customers,
  agent_orders,
  agent_pick_day,
  agent_reversed,
  agent_withdrawn,
  dash_chart,
  dash_metric,
  dash_sum,
  dash_table,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { Bars } from '../../ui/chart/Bars.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { dateOf, money, shortMoney, totalOf } from './model.ts';
import { earningsQuery } from './queries.ts';
import { type EarningMetric, type EarningsSearch, earningDays, earningMetrics } from './search.ts';

interface Props {
  search: EarningsSearch;
  change(next: EarningsSearch): void;
  /** Of everybody, for administrators; of one agent when it is named. */
  forAll?: boolean;
  agent?: number;
}

const metricNames: Record<EarningMetric, () => string> = {
  earned: agent_earned,
  matured: agent_matured,
  withdrawn: agent_withdrawn,
  customers: agent_metric_customers,
};
const dayOf = (day: EarningsDay): string => dateOf(day).slice(5);

/** What came in day by day: bars, or the same as a table. */
export function Earnings({ search, change, forAll = false, agent }: Props) {
  const days = search.days ?? 30;
  const metric = search.metric ?? 'earned';
  const query = useQuery(earningsQuery(days, forAll, agent));
  const asTable = search.view === 'table';
  const show = (value: number) => (metric === 'customers' ? formatUnits(value) : money(value));
  // Everybody's series knows no customers.
  const metrics = forAll ? earningMetrics.filter((each) => each !== 'customers') : earningMetrics;
  return (
    <Card
      title={agent_earnings()}
      text={dash_sum({ total: query.data ? show(totalOf(query.data, metric)) : '…' })}
      aside={
        <span className="flex flex-wrap items-center justify-end gap-2">
          <select
            className="control w-auto"
            aria-label={dash_metric()}
            value={metric}
            onChange={(event) =>
              change({ metric: metrics.find((each) => each !== 'earned' && each === event.currentTarget.value) })
            }
          >
            {metrics.map((each) => (
              <option key={each} value={each}>
                {metricNames[each]()}
              </option>
            ))}
          </select>
          <Choice
            label={agent_days()}
            value={String(days)}
            choices={earningDays.map((count) => ({ value: String(count), label: agent_days_of({ count }) }))}
            onChoose={(next) => change({ days: earningDays.find((count) => count !== 30 && String(count) === next) })}
          />
          <IconButton
            icon={asTable ? ChartColumnStacked : Table2}
            label={asTable ? dash_chart() : dash_table()}
            onClick={() => change({ view: asTable ? undefined : 'table' })}
          />
        </span>
      }
    >
      {query.error && <LoadError error={query.error} retry={query.refetch} />}
      {query.data === undefined ? (
        !query.error && (
          <div aria-busy className="h-70">
            <span className="skeleton w-40" />
          </div>
        )
      ) : asTable ? (
        <DaysTable days={query.data} forAll={forAll} />
      ) : (
        <Bars
          labels={query.data.map(dayOf)}
          series={[{ name: metricNames[metric](), values: query.data.map((day) => day[metric]) }]}
          show={show}
          showTick={metric === 'customers' ? undefined : shortMoney}
          unit={metric === 'customers' ? 1 : 100}
          least={1}
          pickLabel={agent_pick_day()}
        />
      )}
    </Card>
  );
}

/** The days with anything on them, the newest first. */
function DaysTable({ days, forAll }: { days: readonly EarningsDay[]; forAll: boolean }) {
  const amounts = ['earned', 'matured', 'reversed', 'withdrawn'] as const;
  const counts = forAll ? [] : (['orders', 'customers'] as const);
  const names = {
    ...metricNames,
    reversed: agent_reversed,
    orders: agent_orders,
  };
  const rows = days.filter((day) => [...amounts, ...counts].some((name) => day[name] !== 0)).reverse();
  if (rows.length === 0) return <p className="py-6 text-center text-muted">{agent_earnings_none()}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section className="max-h-80 overflow-auto" aria-label={agent_earnings_table()} tabIndex={0}>
      <table className="w-full border-collapse whitespace-nowrap text-end tabular-nums">
        <thead className="sticky top-0 bg-surface text-muted text-xs">
          <tr>
            <th scope="col" className="px-2 py-1.5 text-start font-medium">
              {agent_day()}
            </th>
            {[...amounts, ...counts].map((name) => (
              <th key={name} scope="col" className="px-2 py-1.5 font-medium">
                {names[name]()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((day) => (
            <tr key={day.time} className="border-t">
              <th scope="row" className="px-2 py-1 text-start font-normal">
                {dateOf(day)}
              </th>
              {amounts.map((name) => (
                <td key={name} className={`px-2 py-1 ${day[name] === 0 ? 'text-muted' : ''}`}>
                  {day[name] === 0 ? '–' : money(day[name])}
                </td>
              ))}
              {counts.map((name) => (
                <td key={name} className={`px-2 py-1 ${day[name] === 0 ? 'text-muted' : ''}`}>
                  {day[name] === 0 ? '–' : formatUnits(day[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
