import { useNavigate } from '@tanstack/react-router';
import type { Dashboard, Granularity } from '@tollgate/contract';
import { ChartColumnStacked, Download, Table2 } from 'lucide-react';
import { useMoney } from '../../api/status.ts';
import {
  col_time,
  dash_calls,
  dash_chart,
  dash_consumption,
  dash_csv,
  dash_metric,
  dash_others,
  dash_pick_point,
  dash_quota,
  dash_sum,
  dash_table,
  dash_tokens,
  dash_total,
} from '../../i18n/generated/messages.ts';
import { formatNumber, formatQuota } from '../../lib/money.ts';
import { formatPrice } from '../../lib/price.ts';
import { saveTextFile } from '../../lib/save-file.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { Bars } from '../../ui/chart/Bars.tsx';

import type { LogLink } from './links.ts';
import { pointLabel, seriesCsv, spanOf } from './model.ts';
import { SeriesTable } from './SeriesTable.tsx';
import { type DashboardSearch, type Metric, metrics } from './search.ts';

interface Props {
  dashboard: Dashboard;
  by: Granularity;
  search: DashboardSearch;
  change(next: DashboardSearch): void;
  link: LogLink;
}

const metricNames: Record<Metric, () => string> = { quota: dash_quota, calls: dash_calls, tokens: dash_tokens };
/** Small amounts still have a shape. */
const digitsFor = (dollars: number): number => (dollars >= 1 ? 2 : dollars >= 0.01 ? 4 : 6);

/** What the models took over time: bars, or the same as a table. */
export function Consumption({ dashboard, by, search, change, link }: Props) {
  const money = useMoney();
  const navigate = useNavigate();
  const metric = search.metric ?? 'quota';
  const asTable = search.view === 'table';
  const total = dashboard.totals[metric];
  const digits = digitsFor(dashboard.totals.quota / money.quotaPerUnit);
  const show = (value: number) => (metric === 'quota' ? formatQuota(value, money, digits) : formatNumber(Math.round(value)));
  /** Six decimals would stand outside of a phone. */
  const shortTick = (value: number) => formatPrice(value / money.quotaPerUnit);
  const unit = metric === 'quota' && money.inCurrency ? money.quotaPerUnit : 1;
  const save = () =>
    saveTextFile(
      'usage.csv',
      seriesCsv(dashboard, metric, { time: col_time(), total: dash_total(), others: dash_others() }, unit),
    );
  return (
    <Card
      title={dash_consumption()}
      text={dash_sum({ total: show(total) })}
      aside={
        <>
          <Choice
            label={dash_metric()}
            value={metric}
            choices={metrics.map((value) => ({ value, label: metricNames[value]() }))}
            onChoose={(next) => change({ metric: next === 'quota' ? undefined : next })}
          />
          <IconButton
            icon={asTable ? ChartColumnStacked : Table2}
            label={asTable ? dash_chart() : dash_table()}
            onClick={() => change({ view: asTable ? undefined : 'table' })}
          />
          <IconButton icon={Download} label={dash_csv()} onClick={save} />
        </>
      }
    >
      {asTable ? (
        <SeriesTable dashboard={dashboard} by={by} metric={metric} show={show} link={link} />
      ) : (
        <Bars
          labels={dashboard.buckets.map((begin) => pointLabel(begin, by))}
          series={dashboard.models.map(({ model_name, series }) => ({
            name: model_name,
            values: series.map((point) => point[metric]),
          }))}
          show={show}
          showTick={metric === 'quota' && money.inCurrency && digits > 2 ? shortTick : undefined}
          unit={unit}
          least={metric === 'quota' ? 0 : 1}
          pickLabel={dash_pick_point()}
          onOpen={(point) => void navigate({ to: '/log', search: link(spanOf(dashboard, point)) })}
        />
      )}
    </Card>
  );
}
