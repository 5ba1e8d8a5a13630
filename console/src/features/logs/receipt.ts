import type { Receipt, ReceiptLine } from '@tollgate/contract';
import { receipt_tier, receipt_tier_above, receipt_tier_between } from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';

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

/** How the call was served, and what that multiplied its price by; "" = plainly. */
export const servedText = ({ service_tier: name, service_tier_ratio: ratio }: Receipt): string =>
  ratio === undefined ? '' : `${name} × ${ratio}`;

/** What tools of the upstream's own add to the sum of the rest; "" = nothing. `each`: a use, by its dollars for 1,000. */
export const toolsText = ({ tools = [], group_ratio: group, surcharge }: Receipt, each: (dollars: string) => string): string =>
  tools
    .map(({ tool, uses, price }) => ` + ${[`${tool} ${uses}`, each(price), group, surcharge].filter(Boolean).join(' × ')}`)
    .join('');

/** For which prompts the price is that counted; "" = it has no tiers. */
export function tierText({ tier_up_to: upTo, tier_above: above }: Pick<Receipt, 'tier_up_to' | 'tier_above'>): string {
  const count = formatUnits(upTo);
  if (above === undefined) return upTo > 0 ? receipt_tier({ count }) : '';
  return upTo > 0
    ? receipt_tier_between({ above: formatUnits(above), count })
    : receipt_tier_above({ above: formatUnits(above) });
}
