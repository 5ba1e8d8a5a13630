import { mostAmount } from '@tollgate/contract';
import type { Options } from '../settings/index.ts';
import { divideHalfUp, nano, parseNano } from './decimal.ts';

/** What a top-up costs and brings; integers throughout: hundredths of the currency, and quota. */
export interface Offer {
  cents: number;
  quota: number;
}

export type OfferFault = { code: 'topup_amount_low'; minimum: number } | { code: 'topup_amount_high' | 'topup_money_low' };

interface Terms {
  /** As entered: dollars where a currency is shown, otherwise quota. */
  amount: number;
  group: string;
  /** In dollars. */
  minimum: number;
  /** Money for one dollar. */
  price: number;
}

type MoneyOptions = Pick<Options, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit' | 'TopupGroupRatio'>;

/** What quota costs the customers of a group, `price` being money for one dollar. */
interface Cost {
  readonly quota: bigint;
  readonly group: string;
  readonly price: number;
}

/** Dollars x price x the group's ratio (missing or 0 counts as 1), rounded half up to the cent (contract 8.2). */
export function centsOf(options: Omit<MoneyOptions, 'DisplayInCurrencyEnabled'>, { quota, group, price }: Cost): bigint {
  const ratio = BigInt(parseNano(options.TopupGroupRatio.get(group) ?? 1) || nano);
  const scale = BigInt(nano) * BigInt(nano) * BigInt(options.QuotaPerUnit);
  return divideHalfUp(quota * BigInt(parseNano(price) ?? 0) * ratio * 100n, scale);
}

/** What a top-up of so much costs and brings. */
export function offerOf(options: MoneyOptions, { amount, group, minimum, price }: Terms): Offer | OfferFault {
  const inDollars = options.DisplayInCurrencyEnabled;
  const perUnit = BigInt(options.QuotaPerUnit);
  const least = inDollars ? minimum : minimum * options.QuotaPerUnit;
  if (amount < least) return { code: 'topup_amount_low', minimum: least };
  const quota = inDollars ? BigInt(amount) * perUnit : BigInt(amount);
  const cents = centsOf(options, { quota, group, price });
  if (quota > mostAmount || cents > mostAmount) return { code: 'topup_amount_high' };
  return cents < 1n ? { code: 'topup_money_low' } : { cents: Number(cents), quota: Number(quota) };
}

/** `1234` -> `12.34`. */
export function moneyText(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `12.34`, `12.3`, `12` -> hundredths; trailing zeros beyond that are harmless, other digits are not an amount. */
export function parseMoney(text: string): number | undefined {
  const match = /^(\d{1,13})(?:\.(\d{1,2})0{0,6})?$/.exec(text);
  return match === null ? undefined : Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}
