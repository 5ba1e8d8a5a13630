import { costOf } from './price.ts';
import type { PriceSnapshot, Usage } from './types.ts';

/** The arithmetic of one charge, stored with its log row. What was collected stands in the row itself. */
export interface StoredReceipt {
  v: 1;
  request_id: string;
  price: PriceSnapshot;
  usage: Usage;
  cost: number;
  /** Hex, over the text of all other fields. */
  hmac: string;
}

/** Signs text with the receipts' own key. */
export type Signer = (text: string) => string;

const priceTexts = new WeakMap<PriceSnapshot, string>();

/** Many calls share one price record: its text is made once. */
function priceText(price: PriceSnapshot): string {
  const known = priceTexts.get(price);
  if (known !== undefined) return known;
  const text = JSON.stringify(price);
  priceTexts.set(price, text);
  return text;
}

/** Builds the receipt of a charge; `cost` is what `costOf(price, usage)` gave, or the metered cost of a cut call. */
export function writeReceipt(requestId: string, price: PriceSnapshot, usage: Usage, cost: number, sign: Signer): string {
  const body = `{"v":1,"request_id":"${requestId}","price":${priceText(price)},"usage":${JSON.stringify(usage)},"cost":${cost}}`;
  return `${body.slice(0, -1)},"hmac":"${sign(body)}"}`;
}

/** What of a charge was given back since, as its row's `other` tells: the row's own figure is what is left of it. */
export function refundedOf(other: string): number {
  if (!other.includes('"refunded":')) return 0;
  try {
    const { refunded } = JSON.parse(other) as { refunded?: unknown };
    return typeof refunded === 'number' ? refunded : 0;
  } catch {
    return 0;
  }
}

/** Recomputes a stored receipt: is the signature ours, and does the arithmetic give the stored cost? */
export function verifyReceipt(text: string, sign: Signer): 'ok' | 'malformed' | 'forged' | 'wrong_cost' {
  const end = text.lastIndexOf(',"hmac":"');
  if (end < 0) return 'malformed';
  const body = `${text.slice(0, end)}}`;
  try {
    const receipt = JSON.parse(text) as StoredReceipt;
    if (sign(body) !== receipt.hmac) return 'forged';
    return costOf(receipt.price, receipt.usage) === receipt.cost ? 'ok' : 'wrong_cost';
  } catch {
    return 'malformed';
  }
}
