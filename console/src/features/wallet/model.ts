import type { Status } from '@tollgate/contract';
import { wallet_payable_page } from '../../i18n/generated/messages.ts';
import { formatUnits, type MoneyFormat, plainDigits } from '../../lib/money.ts';
import { moneyText } from '../../ui/payment/order.ts';

/** Amounts are entered in dollars where a currency is shown, else in quota (contract 8.2). */
export const unitOf = (format: MoneyFormat): number => (format.inCurrency ? 1 : format.quotaPerUnit);
export const minimumOf = (status: Status | undefined, format: MoneyFormat, card: boolean): number =>
  ((card ? status?.stripe_min_topup : status?.min_topup) ?? 1) * unitOf(format);
export const amountText = (amount: number, { inCurrency }: MoneyFormat): string =>
  inCurrency ? `$${formatUnits(amount)}` : formatUnits(amount);

/** What is to be paid; "" = the payment page will tell. */
export const payableText = (money: string, currency: string): string =>
  money === '' ? wallet_payable_page() : moneyText(money, currency);

/** A typed amount: whole, at least 1 (contract 8.2); undefined for what is no number or too long. */
export function parseAmount(text: string): number | undefined {
  const trimmed = plainDigits(text).replace(/^\$/, '');
  if (!/^-?\d{1,15}(\.\d*)?$/.test(trimmed)) return undefined;
  return Math.max(1, Math.floor(Number(trimmed)));
}

const named: Record<string, string> = {
  blue: 'var(--accent)',
  green: 'var(--ok)',
  orange: 'var(--warn)',
  yellow: 'var(--warn)',
  amber: 'var(--warn)',
  red: 'var(--bad)',
  cyan: 'var(--info)',
  teal: 'var(--info)',
};

/** The colour an operator gave a payment method; names of the old console's palette are ours of that kind. */
export function methodColor(color: string | undefined): string {
  const name = /--semi-([a-z]+)-\d/.exec(color ?? '')?.[1];
  if (name !== undefined) return named[name] ?? 'var(--accent)';
  return color !== undefined && /^(#[0-9a-f]{3,8}|[a-z]{3,20}|(rgb|hsl)a?\([\d\s.,%/]{3,40}\))$/i.test(color)
    ? color
    : 'var(--accent)';
}

/** Safari would block another one. */
export const paysInThisWindow = (): boolean => /^((?!chrome|android).)*safari/i.test(navigator.userAgent);

/** Posts a form in a window of its own, where that may be opened. */
export function postForm(url: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = url;
  form.target = paysInThisWindow() ? '_self' : '_blank';
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
