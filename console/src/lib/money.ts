/** How amounts are shown: `status.quota_per_unit` and `status.display_in_currency`. */
export interface MoneyFormat {
  quotaPerUnit: number;
  inCurrency: boolean;
}

const whole = new Intl.NumberFormat('en-US');

const steps = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** 12345 -> "12.3k" (contract 7.10): B from 1e9, M from 1e6, k from 10,000, below that the whole number. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  // What would be rounded to a thousand of one step is one of the next.
  const step = size >= 10_000 && steps.find(([least]) => size >= least * 0.99995);
  return step ? (value / step[0]).toFixed(1) + step[1] : whole.format(value);
}

const dollarFormats = new Map<number, Intl.NumberFormat>();
/** Made once for each number of decimals: a table has hundreds of amounts. */
function dollarFormat(digits: number): Intl.NumberFormat {
  const made =
    dollarFormats.get(digits) ?? new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  dollarFormats.set(digits, made);
  return made;
}
/** Quota as text: dollars with `digits` decimals in currency mode (6 below the last of them: what is rounded to nothing or to twice as much is a wrong figure), else a short number of units. */
export function formatQuota(quota: number, format: MoneyFormat, digits = 2): string {
  if (!format.inCurrency) return formatNumber(quota);
  const dollars = Math.abs(quota) / format.quotaPerUnit;
  const text = dollarFormat(dollars > 0 && dollars < 1 / 10 ** digits ? 6 : digits).format(dollars);
  return `${quota < 0 ? '-' : ''}$${text}`;
}

/** A whole number, as of units or calls, with thousands separators. */
export const formatUnits = (quota: number): string => whole.format(quota);

/**
 * What was typed as a number, in plain digits: full-width ones are the same, and commas between thousands go. Any other comma
 * stays, so that `10,50` is no number rather than a hundred times what was meant.
 */
export const plainDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .trim();

/** `$5`, `5` (dollars in currency mode, else units) or `2500000u` (always units) as integer quota; undefined when it is none of these. */
export function parseQuota(text: string, format: MoneyFormat): number | undefined {
  const match = /^(\$?)\s*(\d{1,16}(?:\.\d{0,12})?|\.\d{1,12})\s*(u?)$/i.exec(plainDigits(text));
  if (!match || (match[1] && match[3])) return undefined;
  const amount = Number(match[2]);
  const inDollars = match[1] !== '' || (match[3] === '' && format.inCurrency);
  if (!inDollars && !Number.isInteger(amount)) return undefined;
  const quota = Math.round(inDollars ? amount * format.quotaPerUnit : amount);
  return Number.isSafeInteger(quota) ? quota : undefined;
}

/** The text that `parseQuota` reads back as exactly this quota. */
export function quotaToInput(quota: number, format: MoneyFormat): string {
  if (!format.inCurrency) return String(quota);
  const dollars = String(quota / format.quotaPerUnit);
  return parseQuota(dollars, format) === quota ? dollars : `${quota}u`;
}
