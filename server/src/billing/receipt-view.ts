import type { LogCut, Receipt, ReceiptLine } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { nano } from './decimal.ts';
import { audioAnswer, costOf, factorOf, imageAnswer, tierOf, weigh } from './price.ts';
import { signerOf } from './prove-receipts.ts';
import { refundedOf, type Signer, type StoredReceipt, verifyReceipt } from './receipts.ts';
import { chargedTools, toolParts, toolScale } from './tool-price.ts';
import type { PriceSnapshot, Usage } from './types.ts';

/** A log row as far as its charge goes. */
interface ChargeRow {
  id: number;
  quota: number;
  shortfall: number;
  receipt: string;
  other: string;
}

/**
 * The receipt of one row of the log (contract 16.1), recomputed. `ownerId`: whose rows may be read; undefined = everybody's.
 * Throws `request_not_found` for rows that are not theirs, do not exist or charged nothing.
 */
export async function readReceipt(
  { db, sign }: { db: Database; sign: Signer },
  logId: number,
  ownerId: number | undefined,
): Promise<Receipt> {
  const row = await db.read
    .selectFrom('log')
    .select(['id', 'user_id', 'quota', 'shortfall', 'receipt', 'other'])
    .where('id', '=', logId)
    .executeTakeFirst();
  const view = row && (ownerId === undefined || row.user_id === ownerId) ? receiptView(row, sign) : undefined;
  if (view === undefined) throw new PublicError('request_not_found');
  return view;
}

/** A stored receipt as people read it: every factor, the sum before rounding, and whether it still holds. */
export function receiptView(row: ChargeRow, sign: Signer): Receipt | undefined {
  const state = verifyReceipt(row.receipt, signerOf(row, sign));
  if (state === 'malformed') return undefined;
  const { request_id, price, usage, cost, hmac } = JSON.parse(row.receipt) as StoredReceipt;
  const tier = tierOf(price, usage.prompt);
  const above = price.tiers?.[price.tiers.indexOf(tier) - 1]?.upTo;
  const parts = price.kind === 'call' ? callParts(usage) : tokenParts(price, usage);
  const exact = exactCost(price, usage, parts);
  const recomputed = costOf(price, usage);
  const tools = chargedTools(price, usage.tools);
  const cut = cutOf(row.other);
  const refunded = refundedOf(row.other);
  return {
    ...{ log_id: row.id, request_id, model: price.model, group: price.group, kind: price.kind },
    price_version: price.version,
    ...(cut === undefined ? {} : { cut }),
    usage_source: usage.source,
    usage_anomaly: usage.anomaly,
    lines: parts.map(lineOf),
    model_ratio: price.kind === 'token' ? decimalText(BigInt(tier.modelRatioNano), 9) : '',
    call_price: price.kind === 'call' ? decimalText(BigInt(price.callPriceNano), 9) : '',
    ...(price.perSecond === true ? { per_second: true } : {}),
    ...(usage.picturesAsked === undefined
      ? {}
      : { pictures_asked: usage.picturesAsked, pictures_delivered: usage.pictures ?? 0 }),
    quota_per_unit: price.quotaPerUnit,
    group_ratio: decimalText(BigInt(price.groupRatioNano), 9),
    special_group: price.specialGroup,
    surcharge: price.surchargeNano === undefined ? '' : decimalText(BigInt(price.surchargeNano), 9),
    ...(price.serviceTierNano === undefined
      ? {}
      : { service_tier: price.serviceTier ?? '', service_tier_ratio: decimalText(BigInt(price.serviceTierNano), 9) }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ tool, uses, priceNano }) => ({ tool, uses, price: decimalText(BigInt(priceNano), 9) })),
        }),
    tier_up_to: (price.kind === 'token' && 'upTo' in tier && tier.upTo) || 0,
    ...(above === undefined ? {} : { tier_above: above }),
    exact: decimalText(exact, exactDigits),
    rounding: roundingOf(exact, recomputed),
    ...{ recomputed, cost, collected: row.quota + refunded, shortfall: row.shortfall },
    ...(refunded === 0 ? {} : { refunded }),
    ...{ hmac, state },
  };
}

/** Why the answer of a row was cut off, from its `other`; undefined = it was not. What was swept nobody saw the end of. */
export function cutOf(other: string): LogCut | undefined {
  const by = /"cut_by":"([a-z_]+)"/.exec(other)?.[1];
  if (by !== undefined) return by as LogCut;
  if (other.includes('"cut":true')) return 'unknown';
  return other.includes('"swept":true') ? 'unknown' : undefined;
}

/** `amount` and `ratio` are scaled by 1e9 and 1e18. */
interface Part {
  part: ReceiptLine['part'];
  amount: bigint;
  ratio: bigint;
}

const scale = BigInt(nano);
const exactDigits = 54;
const lineOf = ({ part, amount, ratio }: Part): ReceiptLine => ({
  part,
  amount: decimalText(amount, 9),
  ratio: decimalText(ratio, 18),
});
const callParts = ({ unitsNano = nano }: Usage): Part[] => [{ part: 'calls', amount: BigInt(unitsNano), ratio: scale * scale }];

function tokenParts(price: PriceSnapshot, usage: Usage): Part[] {
  const tier = tierOf(price, usage.prompt);
  const tokens = weigh(usage);
  const counts: readonly [ReceiptLine['part'], number, bigint][] = [
    ['prompt', tokens.plain, scale * scale],
    ['audio_prompt', tokens.audio, BigInt(price.audioRatioNano ?? nano) * scale],
    ['image_prompt', tokens.image, BigInt(price.imageRatioNano ?? nano) * scale],
    ['cached', tokens.cached, BigInt(tier.cacheRatioNano) * scale],
    ['cache_write', tokens.written, BigInt(tier.cacheWriteRatioNano) * scale],
    ['cache_write_1h', tokens.lasting, BigInt(price.cacheWrite1hRatioNano ?? tier.cacheWriteRatioNano) * scale],
    ['completion', tokens.answered, BigInt(tier.completionRatioNano) * scale],
    ['audio_completion', tokens.spoken, audioAnswer(price, tier)],
    ['image_completion', tokens.drawn, imageAnswer(price, tier)],
  ];
  return counts
    .filter(([part, count]) => count > 0 || part === 'prompt' || part === 'completion')
    .map(([part, count, ratio]) => ({ part, amount: BigInt(count) * scale, ratio }));
}

/** Quota before rounding, scaled by 1e54. */
function exactCost(price: PriceSnapshot, usage: Usage, parts: readonly Part[]): bigint {
  const sum = parts.reduce((total, { amount, ratio }) => total + (amount / scale) * ratio, 0n);
  const factor = factorOf(price);
  const beside = toolParts(price, usage.tools) * (scale ** 6n / toolScale);
  if (price.kind === 'token') return sum * BigInt(tierOf(price, usage.prompt).modelRatioNano) * factor + beside;
  const units = BigInt(usage.unitsNano ?? nano);
  return BigInt(price.callPriceNano) * BigInt(price.quotaPerUnit) * factor * units * scale + beside;
}

function roundingOf(exact: bigint, cost: number): Receipt['rounding'] {
  const one = scale ** 6n;
  if (BigInt(cost) * one === exact) return 'none';
  return cost === 1 && exact * 2n < one ? 'minimum' : 'half_up';
}

/** Decimal text without trailing zeros. */
function decimalText(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return text.slice(0, -digits) + (fraction === '' ? '' : `.${fraction}`);
}
