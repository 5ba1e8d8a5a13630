import { dash_others, dash_total } from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { colourOf } from './palette.ts';
import type { Series } from './scale.ts';

interface Props {
  title: string;
  series: readonly Series[];
  point: number;
  points: number;
  show(value: number): string;
}

const shown = 6;

/** What stands in one point, beside it. */
export function PointDetail({ title, series, point, points, show }: Props) {
  const parts = series
    .map(({ name, values }, rank) => ({ name, rank, value: values[point] ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((left, right) => right.value - left.value);
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const isRight = point > points / 2;
  const place = (point / points) * 100;
  const beside = isRight ? { right: `${100 - place}%` } : { left: `${place + 100 / points}%` };
  const phone = usePhone();
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-1 z-10 w-56 max-w-[68%] rounded-md border bg-raised px-3 py-2 text-xs shadow-overlay"
      style={phone ? (isRight ? { left: 0 } : { right: 0 }) : beside}
    >
      <p className="flex flex-wrap justify-between gap-x-3 whitespace-nowrap font-semibold tabular-nums">
        <span>{title}</span>
        <span>
          {dash_total()} {show(total)}
        </span>
      </p>
      {parts.slice(0, shown).map(({ name, rank, value }) => (
        <p key={rank} className="mt-0.5 flex items-center gap-1.5">
          <span className="size-2 shrink-0 rounded-sm" style={{ background: colourOf(rank) }} />
          <span className="truncate">{name || dash_others()}</span>
          <span className="ml-auto whitespace-nowrap tabular-nums">{show(value)}</span>
        </p>
      ))}
      {parts.length > shown && <p className="mt-0.5 text-muted">+{parts.length - shown}</p>}
    </div>
  );
}
