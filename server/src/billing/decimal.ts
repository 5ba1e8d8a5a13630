const scaleDigits = 9;
/** One, as prices and ratios live inside the program: decimals scaled by 1e9 into safe integers. */
export const nano = 1_000_000_000;

/**
 * Reads decimal text ("1.25", "3e-7") as a scaled integer, rounding half up beyond nine decimals.
 * Undefined for anything that is not a finite, non-negative decimal of reasonable length or that does not fit.
 */
export function parseNano(value: string | number): number | undefined {
  const match = /^(\d{1,24})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(String(value).trim());
  if (match === null) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const power = Number(exponent) - fraction.length + scaleDigits;
  const scaled = power >= 0 ? digits * 10n ** BigInt(power) : divideHalfUp(digits, 10n ** BigInt(-power));
  return scaled <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(scaled) : undefined;
}

/** The same of what was validated where it entered: anything unreadable is a defect, not a free call. Throws RangeError. */
export function toNano(value: string | number): number {
  const parsed = parseNano(value);
  if (parsed === undefined) throw new RangeError(`not a price or a ratio: ${value}`);
  return parsed;
}

/** Non-negative numerator, positive denominator; the one rounding rule of the ledger. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** For display and log rows only, never for arithmetic. */
export function nanoToNumber(value: number): number {
  return value / nano;
}

/** For people: two decimals, and the rest of them where there is more, so that nobody reads a price as 0 (decision 0116). */
export function nanoToText(value: number): string {
  const digits = String(value).padStart(scaleDigits + 1, '0');
  return `${digits.slice(0, -scaleDigits)}.${digits.slice(-scaleDigits).replace(/0+$/, '').padEnd(2, '0')}`;
}
