/** Times are unix seconds; texts are local time. */

const parts = new Intl.DateTimeFormat('sv-SE', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `yyyy-MM-dd HH:mm:ss` in local time. */
export const formatTime = (seconds: number): string => parts.format(seconds * 1000);

/** The same instant in UTC, for tooltips. */
export const formatUtc = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Reads `yyyy-MM-dd HH:mm:ss` (seconds, then minutes may be left out); undefined when it is not a real date. */
export function parseTime(text: string): number | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text.trim());
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(year, month - 1, day, hour, minute, second);
  // A day alone begins at its first hour, which is not midnight where clocks are set forward then.
  const exact = date.getMonth() === month - 1 && date.getDate() === day && (!match[4] || date.getHours() === hour);
  return exact && minute < 60 && second < 60 ? Math.floor(date.getTime() / 1000) : undefined;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();
/** Made once for each language: making one takes longer than a hundred texts. */
function relativeFormat(tag: string): Intl.RelativeTimeFormat {
  const made = relativeFormats.get(tag) ?? new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  relativeFormats.set(tag, made);
  return made;
}

/** "3 小时前", "in 2 days". */
export function formatRelative(seconds: number, nowSeconds: number, tag: string): string {
  const distance = seconds - nowSeconds;
  const [unit, size] = steps.find(([, step]) => Math.abs(distance) >= step) ?? (['second', 1] as const);
  return relativeFormat(tag).format(Math.trunc(distance / size), unit);
}

/** When the day begins that is so many days from today; days are not equally long where clocks change. */
export const midnight = (days: number): number => new Date().setHours(24 * days, 0, 0, 0) / 1000;

/** The log page's range when none is chosen: the start of the last hour to one hour from now. */
export function defaultLogRange(nowSeconds: number): { from: number; to: number } {
  return { from: Math.floor(nowSeconds / 3600) * 3600 - 3600, to: nowSeconds + 3600 };
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
