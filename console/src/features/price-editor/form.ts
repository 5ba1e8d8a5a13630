import { price_duplicate, price_name_missing, price_number } from '../../i18n/generated/messages.ts';
import { plainDigits } from '../../lib/money.ts';
import { type PriceNumber, type PriceRow, priceNumbers } from './draft.ts';

/** Texts of the fields of one model. */
export type PriceFields = Record<PriceNumber | 'model', string>;

/** Without an exponent, which `readNumber` does not take. */
const plain = (value: number): string => (String(value).includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : String(value));

export const fieldsOf = (row: Pick<PriceRow, 'model' | 'numbers'>): PriceFields => ({
  model: row.model,
  ...(Object.fromEntries(
    priceNumbers.map((number) => {
      const value = row.numbers[number];
      return [number, value === undefined ? '' : plain(value)];
    }),
  ) as Record<PriceNumber, string>),
});

/** A non-negative decimal; undefined for anything else. */
export function readNumber(text: string): number | undefined {
  const digits = plainDigits(text);
  return /^(\d{1,9}(\.\d{0,12})?|\.\d{1,12})$/.test(digits) ? Number(digits) : undefined;
}

export const isByCall = (fields: PriceFields): boolean => fields.price.trim() !== '';

/** `taken`: the names of the other models. */
export function faultsOf(fields: PriceFields, taken: ReadonlySet<string>): Partial<PriceFields> {
  const name = fields.model.trim();
  const byCall = isByCall(fields);
  const numbers = priceNumbers.filter((number) => number === 'price' || !byCall);
  const faulty = numbers.filter((number) => fields[number].trim() !== '' && readNumber(fields[number]) === undefined);
  const nameFault = name === '' ? price_name_missing() : taken.has(name) ? price_duplicate() : undefined;
  return {
    ...(nameFault === undefined ? {} : { model: nameFault }),
    ...Object.fromEntries(faulty.map((number) => [number, price_number()])),
  };
}

/** What the fields say; with a fixed price the ratios are kept out of the way. Fields must have no fault. */
export function numbersOf(fields: PriceFields): PriceRow['numbers'] {
  const numbers = isByCall(fields) ? (['price'] as const) : priceNumbers;
  return Object.fromEntries(
    numbers.flatMap((number) => {
      const value = readNumber(fields[number]);
      return value === undefined ? [] : [[number, value]];
    }),
  );
}

/** Without the noise of binary fractions. */
const decimal = (value: number): string => plain(Number(value.toPrecision(10)));

/**
 * Dollars per million tokens of a ratio, as text. `base`: what a ratio of 1 costs, for the model ratio two dollars, for the
 * others the price of a prompt token.
 */
export function dollarsOfRatio(ratio: string, base: number | undefined): string {
  const value = readNumber(ratio);
  return value === undefined || base === undefined ? '' : decimal(value * base);
}

/** The opposite; the text itself where there is nothing to divide by, so that its fault is shown. */
export function ratioOfDollars(dollars: string, base: number | undefined): string {
  const value = readNumber(dollars);
  return value === undefined || base === undefined || base === 0 ? dollars : decimal(value / base);
}
