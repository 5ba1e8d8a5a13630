import { type PointerEvent, useId, useState } from 'react';
import { usePhone } from '../../lib/media.ts';
import { PointDetail } from './PointDetail.tsx';
import { colourOf } from './palette.ts';
import { heightOf, labelled, type Segment, type Series, stacksOf, ticksFor } from './scale.ts';

interface Props {
  /** One a point, in order. */
  labels: readonly string[];
  /** Named "" = the others. */
  series: readonly Series[];
  /** A value as text. */
  show(value: number): string;
  /** The same beside the axis, where little room is. */
  showTick?(value: number): string;
  /** Steps of the axis are round in this unit, and none is smaller than `least`. */
  unit: number;
  least?: number;
  /** Names the choice of a point. */
  pickLabel: string;
  /** Absent: a point leads nowhere. */
  onOpen?(point: number): void;
}

const columnWidth = 10;
const gap = 1.6;
const plotHeight = 100;
/** Pixels: of a sign of the small text beside the axis, and between both. */
const digitWidth = 7;
const axisGap = 8;
/** A thin line with a small handle: it is for keys and fingers, the bars are for the mouse. */
const scrubber =
  'appearance-none bg-transparent [&::-webkit-slider-runnable-track]:h-0.5 [&::-webkit-slider-runnable-track]:bg-line [&::-webkit-slider-thumb]:-mt-[7px] [&::-webkit-slider-thumb]:size-4 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-md [&::-webkit-slider-thumb]:bg-line-strong [&::-moz-range-track]:h-0.5 [&::-moz-range-track]:bg-line [&::-moz-range-thumb]:size-4 [&::-moz-range-thumb]:rounded-md [&::-moz-range-thumb]:border-0 [&::-moz-range-thumb]:bg-line-strong';

/**
 * Stacked bars, point by point. Arrow keys move along the points and Enter opens what is behind one; the page has the same
 * numbers as a table.
 */
export function Bars({ labels, series, show, showTick = show, unit, least = 0, pickLabel, onOpen }: Props) {
  const phone = usePhone();
  const id = useId();
  const [point, setPoint] = useState<number>();
  const points = labels.length;
  const stacks = stacksOf(series, points);
  const ticks = ticksFor(Math.max(...stacks.map(heightOf), 0), unit, least);
  const top = ticks.at(-1) ?? 1;
  const chosen = point === undefined ? undefined : Math.min(point, points - 1);
  const describe = (index: number) => `${labels[index]}: ${show(heightOf(stacks[index] ?? []))}`;
  const at = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * points);
    setPoint(Math.max(0, Math.min(points - 1, index)));
  };
  return (
    <div
      className="relative pt-2"
      style={{ paddingLeft: axisGap + digitWidth * Math.max(...ticks.map((tick) => showTick(tick).length)) }}
    >
      <div className="relative h-56">
        <Axis ticks={ticks} top={top} show={showTick} />
        <svg
          aria-hidden
          viewBox={`0 0 ${points * columnWidth} ${plotHeight}`}
          preserveAspectRatio="none"
          className={`absolute inset-0 size-full ${onOpen ? 'cursor-pointer' : ''}`}
          onPointerMove={at}
          onPointerLeave={() => setPoint(undefined)}
          onClick={() => chosen !== undefined && onOpen?.(chosen)}
        >
          {chosen !== undefined && (
            <rect x={chosen * columnWidth} y={0} width={columnWidth} height={plotHeight} className="fill-grey-tint" />
          )}
          {stacks.map((stack, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: labels of long ranges repeat, places do not
            <Bar key={index} stack={stack} index={index} top={top} />
          ))}
        </svg>
        {chosen !== undefined && (
          <PointDetail title={labels[chosen] ?? ''} series={series} point={chosen} points={points} show={show} />
        )}
      </div>
      <TimeAxis labels={labels} most={phone ? 2 : 8} />
      <label htmlFor={id} className="sr-only">
        {pickLabel}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={points - 1}
        value={chosen ?? points - 1}
        aria-valuetext={describe(chosen ?? points - 1)}
        className={`${scrubber} block h-6 w-full`}
        onFocus={(event) => setPoint(Number(event.currentTarget.value))}
        onBlur={() => setPoint(undefined)}
        onChange={(event) => setPoint(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onOpen?.(Number(event.currentTarget.value));
        }}
      />
    </div>
  );
}

function Bar({ stack, index, top }: { stack: readonly Segment[]; index: number; top: number }) {
  return stack.map(({ series, from, to }) => (
    <rect
      key={series}
      x={index * columnWidth + gap / 2}
      width={columnWidth - gap}
      y={plotHeight - (to / top) * plotHeight}
      height={((to - from) / top) * plotHeight}
      style={{ fill: colourOf(series), stroke: 'var(--surface)', strokeWidth: 1 }}
      vectorEffect="non-scaling-stroke"
    />
  ));
}

function Axis({ ticks, top, show }: { ticks: readonly number[]; top: number; show(value: number): string }) {
  return ticks.map((tick) => (
    <div key={tick} className="absolute inset-x-0 border-t" style={{ bottom: `${(tick / top) * 100}%` }} aria-hidden>
      <span className="absolute right-full -translate-y-1/2 whitespace-nowrap pr-2 text-muted text-xs tabular-nums">
        {show(tick)}
      </span>
    </div>
  ));
}

function TimeAxis({ labels, most }: { labels: readonly string[]; most: number }) {
  return (
    <div className="relative mt-1 h-5" aria-hidden>
      {labelled(labels.length, most).map((point, index) => {
        // Shifted by its own place, so that the outermost ones stay within the chart.
        const place = ((point + 0.5) / labels.length) * 100;
        return (
          <span
            key={point}
            className={`absolute whitespace-nowrap text-muted text-xs tabular-nums ${most > 2 && index % 2 === 0 ? 'max-md:hidden' : ''}`}
            style={{ left: `${place}%`, transform: `translateX(-${place}%)` }}
          >
            {labels[point]}
          </span>
        );
      })}
    </div>
  );
}
