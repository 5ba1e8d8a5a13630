import { mostAmount } from '@tollgate/contract';
import { plainDigits } from '../../lib/money.ts';

/** `1,234.5`, `¥100` as whole cents; undefined for what is no amount, or has more than two decimals. */
export function parseCents(text: string): number | undefined {
  const match = /^[¥$]?\s*(\d{1,14})(?:\.(\d{0,2}))?$/.exec(plainDigits(text));
  if (!match) return undefined;
  const cents = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return cents <= mostAmount ? cents : undefined;
}

/** The text that `parseCents` reads back as exactly these cents. */
export const centsInput = (cents: number): string => (cents / 100).toFixed(2).replace(/\.?0+$/, '');
