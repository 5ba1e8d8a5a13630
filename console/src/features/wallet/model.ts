import type { OrderState, Status } from '@tollgate/contract';
import {
  wallet_state_expired,
  wallet_state_failed,
  wallet_state_late,
  wallet_state_paid,
  wallet_state_pending,
  wallet_state_refunded,
} from '../../i18n/generated/messages.ts';
import type { MoneyFormat } from '../../lib/money.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** Word and colour of an order's state. */
export const orderFaces: Record<OrderState, { text(): string; tone: Tone }> = {
  pending: { text: wallet_state_pending, tone: 'warn' },
  paid: { text: wallet_state_paid, tone: 'ok' },
  paid_late: { text: wallet_state_late, tone: 'ok' },
  expired: { text: wallet_state_expired, tone: 'grey' },
  failed: { text: wallet_state_failed, tone: 'bad' },
  refunded: { text: wallet_state_refunded, tone: 'grey' },
};

/** Amounts are entered in dollars where a currency is shown, else in quota (contract 8.2). */
export const unitOf = (format: MoneyFormat): number => (format.inCurrency ? 1 : format.quotaPerUnit);
export const minimumOf = (status: Status | undefined, format: MoneyFormat, card: boolean): number =>
  ((card ? status?.stripe_min_topup : status?.min_topup) ?? 1) * unitOf(format);
export const amountText = (amount: number, { inCurrency }: MoneyFormat): string =>
  inCurrency ? `$${amount.toLocaleString('en-US')}` : amount.toLocaleString('en-US');

/** A typed amount: whole, at least 1 (contract 8.2); undefined for what is no number or too long. */
export function parseAmount(text: string): number | undefined {
  const trimmed = text.trim().replace(/^\$/, '').replaceAll(',', '');
  if (!/^\d{1,15}(\.\d*)?$/.test(trimmed)) return undefined;
  return Math.max(1, Math.floor(Number(trimmed)));
}

/** Money as a gateway asks for it: `73.00 CNY`. */
export const moneyText = (money: string, currency: string): string => `${money} ${currency.toUpperCase()}`.trim();

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

/** Posts a form in a window of its own; in this one where Safari would block that. */
export function postForm(url: string, fields: Readonly<Record<string, string>>): void {
  const safari = /^((?!chrome|android).)*safari/i.test(navigator.userAgent);
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = url;
  form.target = safari ? '_self' : '_blank';
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
