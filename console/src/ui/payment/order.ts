import type { OrderState } from '@tollgate/contract';
import {
  wallet_state_expired,
  wallet_state_failed,
  wallet_state_late,
  wallet_state_paid,
  wallet_state_pending,
  wallet_state_refunded,
} from '../../i18n/generated/messages.ts';
import { languageTag } from '../../i18n/language.ts';
import type { Tone } from '../Badge.tsx';

/** Word and colour of an order's state. */
export const orderFaces: Record<OrderState, { text(): string; tone: Tone }> = {
  pending: { text: wallet_state_pending, tone: 'warn' },
  paid: { text: wallet_state_paid, tone: 'ok' },
  paid_late: { text: wallet_state_late, tone: 'ok' },
  expired: { text: wallet_state_expired, tone: 'grey' },
  failed: { text: wallet_state_failed, tone: 'bad' },
  refunded: { text: wallet_state_refunded, tone: 'grey' },
};

/**
 * Money as a payment service asks for it, by locale: `¥73.00` or `CN¥73.00`. `money`: two decimals, as the server says, "" for
 * none. What is no currency or no number stays as it is.
 */
export function moneyText(money: string, currency: string): string {
  if (money === '') return '';
  const amount = Number(money);
  if (!Number.isFinite(amount) || !/^[a-z]{3}$/i.test(currency)) return `${money} ${currency.toUpperCase()}`.trim();
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return new Intl.NumberFormat(languageTag(), { style: 'currency', currency, ...digits }).format(amount);
}

/** Whole cents of a currency, by locale; exact up to the largest amounts of the contract. */
export const centsText = (cents: number, currency: string): string => moneyText((cents / 100).toFixed(2), currency);
