import type { ReceiptLine } from '@tollgate/contract';

const digits = 18;

/** Decimal text as an integer scaled by 1e18. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

function textOf(value: bigint, places: number): string {
  const text = String(value).padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return text.slice(0, -places) + (fraction && `.${fraction}`);
}

/** `amount × ratio` as decimal text, without losing a digit. */
export const weightOf = ({ amount, ratio }: ReceiptLine): string => textOf(scaled(amount) * scaled(ratio), 2 * digits);

/** The sum of what all lines weigh, as exact. */
export const sumOf = (lines: readonly ReceiptLine[]): string =>
  textOf(
    lines.reduce((sum, { amount, ratio }) => sum + scaled(amount) * scaled(ratio), 0n),
    2 * digits,
  );

/** Decimal text with thousands separators in what stands before the point: `9,007,199.254740991`. */
export const grouped = (text: string): string => text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
