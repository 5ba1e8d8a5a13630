/** What one of several took, a value at each point of the axis. */
export interface Series {
  name: string;
  values: readonly number[];
}

/** One series' part of a point: from `from` to `to` on the axis. */
export interface Segment {
  /** Position among the series, for its colour. */
  series: number;
  from: number;
  to: number;
}

/** Each point's segments from the bottom up; series with nothing there have none. */
export function stacksOf(series: readonly Series[], points: number): Segment[][] {
  return Array.from({ length: points }, (_, point) => {
    let height = 0;
    return series.flatMap(({ values }, index) => {
      const value = values[point] ?? 0;
      if (value <= 0) return [];
      const from = height;
      height += value;
      return [{ series: index, from, to: height }];
    });
  });
}

export const heightOf = (stack: readonly Segment[]): number => stack.at(-1)?.to ?? 0;

/** Round values from 0 to above `highest`, at most five steps of 1, 2 or 5 times a power of ten, none below `least`. */
export function ticksFor(highest: number, unit = 1, least = 0): number[] {
  if (highest <= 0) return [0, unit];
  const rough = highest / unit / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power * unit);
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Which points get a label: evenly, the last one included, at most `most`. */
export function labelled(points: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(points / most));
  const marks: number[] = [];
  for (let point = points - 1; point >= 0; point -= step) marks.unshift(point);
  return marks;
}
