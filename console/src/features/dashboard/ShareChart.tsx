import { Link } from '@tanstack/react-router';
import type { DashboardModel } from '@tollgate/contract';
import { dash_empty, dash_others } from '../../i18n/generated/messages.ts';
import { exactModel } from '../../lib/model-filter.ts';
import { formatNumber, formatUnits } from '../../lib/money.ts';
import { colourOf } from '../../ui/chart/palette.ts';
import type { LogLink } from './links.ts';
import { percent, shares } from './model.ts';

/** The circle's length, so that parts are percentages. */
const radius = 100 / (2 * Math.PI);
/** White between neighbours, as a percentage. */
const seam = 0.4;

/** Whose calls they were: a ring, and the same as a list. Colours are those of the bars. */
export function ShareChart({ models, link }: { models: readonly DashboardModel[]; link: LogLink }) {
  const parts = shares(models.map(({ calls }) => calls));
  const rows = models
    .map(({ model_name: name, calls }, rank) => ({ name, calls, rank, share: parts[rank] ?? 0 }))
    .filter(({ calls }) => calls > 0)
    .sort((left, right) => right.calls - left.calls);
  if (rows.length === 0) return <p className="text-muted">{dash_empty()}</p>;
  let before = 0;
  return (
    <div className="flex items-center gap-5 max-sm:flex-col max-sm:items-stretch">
      <svg viewBox="0 0 40 40" className="size-40 shrink-0 -rotate-90 self-center" aria-hidden>
        {rows.map(({ name, rank, share }) => {
          const offset = -before;
          before += share * 100;
          const length = Math.max(0.2, share * 100 - (rows.length > 1 ? seam : 0));
          return (
            <circle
              key={name}
              cx={20}
              cy={20}
              r={radius}
              fill="none"
              strokeWidth={7}
              strokeDasharray={`${length} ${100 - length}`}
              strokeDashoffset={offset}
              style={{ stroke: colourOf(rank) }}
            />
          );
        })}
      </svg>
      <ul className="min-w-0 grow">
        {rows.map(({ name, calls, rank, share }) => (
          <li key={name} className="flex min-h-6 items-center gap-2">
            <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: colourOf(rank) }} />
            {name === '' ? (
              <span className="truncate">{dash_others()}</span>
            ) : (
              <Link to="/log" search={link({ model: exactModel(name) })} className="truncate text-fg hover:underline">
                {name}
              </Link>
            )}
            <span className="ml-auto text-muted text-xs tabular-nums" data-tip={formatUnits(calls)}>
              {formatNumber(calls)}
            </span>
            <span className="w-12 text-end tabular-nums">{percent(share)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
