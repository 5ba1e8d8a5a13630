import { Link } from '@tanstack/react-router';
import type { Dashboard, Granularity } from '@tollgate/contract';
import { col_time, dash_others, dash_table_label, dash_total } from '../../i18n/generated/messages.ts';
import { exactModel } from '../../lib/model-filter.ts';
import type { LogLink } from './links.ts';
import { pointLabel, spanOf } from './model.ts';
import type { Metric } from './search.ts';

interface Props {
  dashboard: Dashboard;
  by: Granularity;
  metric: Metric;
  show(value: number): string;
  link: LogLink;
}

/** The points of the chart as numbers, the newest first; points without anything are left out. */
export function SeriesTable({ dashboard, by, metric, show, link }: Props) {
  const { buckets, models } = dashboard;
  const rows = buckets
    .map((begin, point) => ({
      begin,
      point,
      values: models.map(({ series }) => series[point]?.[metric] ?? 0),
    }))
    .filter(({ values }) => values.some((value) => value > 0))
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section className="max-h-80 overflow-auto" aria-label={dash_table_label()} tabIndex={0}>
      <table className="w-full border-collapse text-end tabular-nums">
        <thead className="sticky top-0 whitespace-nowrap bg-surface text-muted text-xs">
          <tr>
            <th scope="col" className="px-2 py-1.5 text-start font-medium">
              {col_time()}
            </th>
            <th scope="col" className="px-2 py-1.5 font-medium">
              {dash_total()}
            </th>
            {models.map(({ model_name }) => (
              <th key={model_name} scope="col" className="max-w-40 truncate px-2 py-1.5 font-medium">
                {model_name || dash_others()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ begin, point, values }) => (
            <tr key={begin} className="border-t">
              <th scope="row" className="whitespace-nowrap px-2 py-1 text-start font-normal">
                <Link to="/log" search={link(spanOf(dashboard, point))}>
                  {pointLabel(begin, by)}
                </Link>
              </th>
              <td className="whitespace-nowrap px-2 py-1 font-medium">{show(values.reduce((sum, value) => sum + value, 0))}</td>
              {models.map(({ model_name }, model) => (
                <td key={model_name} className="whitespace-nowrap px-2 py-1">
                  {values[model] === 0 ? (
                    <span className="text-muted">–</span>
                  ) : model_name === '' ? (
                    show(values[model] ?? 0)
                  ) : (
                    <Link
                      to="/log"
                      search={link({ ...spanOf(dashboard, point), model: exactModel(model_name) })}
                      className="text-fg hover:underline"
                    >
                      {show(values[model] ?? 0)}
                    </Link>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
