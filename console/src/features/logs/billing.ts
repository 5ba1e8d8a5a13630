import type { LogEntry, Receipt, ReceiptLine } from '@tollgate/contract';
import { isRecord, parseRecord } from '../../lib/json.ts';
import { servedText, tierText, toolsText } from './receipt.ts';

/** What `other` says of a charged call (contract 7.8), with defaults for what an old row lacks. */
export interface Billing {
  modelRatio: number;
  completionRatio: number;
  cacheRatio: number;
  cacheTokens: number;
  cacheWriteRatio: number;
  cacheWriteTokens: number;
  /** Cache tokens stand beside the prompt instead of being part of it. */
  cacheBeside: boolean;
  /** Tokens of sound among prompt and answer, and what they cost relative to plain and to heard ones; undefined = none. */
  sound?: { heard: number; spoken: number; ratio: number; answerRatio: number };
  groupRatio: number;
  /** The group ratio is this user's own. */
  ownGroupRatio: boolean;
  /** Below 0 = priced by tokens. */
  callPrice: number;
  /** Milliseconds until the first byte; undefined when there was none. */
  firstByteMs?: number;
  /** Why the answer ended before its end (`LogCut`); undefined = it did not. */
  cut?: unknown;
  upstreamModel?: string;
  /** Channels that were tried, in order; empty for those who are not administrators. */
  channels: string[];
  /** Quota that a channel's test would have cost, which is charged nothing; undefined for other rows. */
  wouldCost?: number;
}

const numberIn = (record: Record<string, unknown>, name: string, fallback: number): number => {
  const value = record[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
};

function soundIn(other: Record<string, unknown>): Billing['sound'] {
  const heard = numberIn(other, 'audio_input', 0);
  const spoken = numberIn(other, 'audio_output', 0);
  if (heard + spoken <= 0) return undefined;
  return {
    ...{ heard, spoken },
    ratio: numberIn(other, 'audio_ratio', 1),
    answerRatio: numberIn(other, 'audio_completion_ratio', 1),
  };
}

const known = new WeakMap<object, Billing>();

/** What the JSON text of a log row says, read once for each row; never fails. */
export function billingOf(entry: Pick<LogEntry, 'other'>): Billing {
  const billing = known.get(entry) ?? readBilling(entry);
  known.set(entry, billing);
  return billing;
}

function readBilling(entry: Pick<LogEntry, 'other'>): Billing {
  const other = parseRecord(entry.other);
  const admin = isRecord(other.admin_info) ? other.admin_info : {};
  const channels = Array.isArray(admin.use_channel) ? admin.use_channel.map(String) : [];
  const own = numberIn(other, 'user_group_ratio', -1);
  const firstByteMs = numberIn(other, 'frt', -1);
  return {
    modelRatio: numberIn(other, 'model_ratio', 0),
    completionRatio: numberIn(other, 'completion_ratio', 1),
    cacheRatio: numberIn(other, 'cache_ratio', 1),
    cacheTokens: numberIn(other, 'cache_tokens', 0),
    cacheWriteRatio: numberIn(other, 'cache_creation_ratio', 1),
    cacheWriteTokens: numberIn(other, 'cache_creation_tokens', 0),
    cacheBeside: other.claude === true,
    sound: soundIn(other),
    groupRatio: own >= 0 ? own : numberIn(other, 'group_ratio', 1),
    ownGroupRatio: own >= 0,
    callPrice: numberIn(other, 'model_price', -1),
    firstByteMs: firstByteMs >= 0 ? firstByteMs : undefined,
    cut: other.cut_by ?? (other.cut === true ? '' : undefined),
    upstreamModel:
      other.is_model_mapped === true && typeof other.upstream_model_name === 'string' ? other.upstream_model_name : undefined,
    channels,
    wouldCost: other.test === true ? numberIn(other, 'would_cost', 0) : undefined,
  };
}

/** One summand: tokens, or the calls or seconds that a fixed price is for. */
export interface BillLine {
  part: ReceiptLine['part'];
  amount: number;
  /** Relative to a plain prompt token. */
  ratio: number;
}

/** A charge as people check it: what was counted, times what it was multiplied by, is the cost. */
export interface Bill {
  lines: readonly BillLine[];
  /** Of tokens. */
  modelRatio: number;
  /** Dollars a call or a second; undefined = priced by tokens. */
  callPrice?: number;
  perSecond?: boolean;
  groupRatio: number;
  ownGroupRatio: boolean;
  /** For which prompts the price is; "" = for all. */
  tier: string;
  /** What the backup pool multiplied it by; 1 = an ordinary channel answered. */
  surcharge: number;
  /** What the way it was served multiplied it by, and its name with that; 1 and "" = plainly. */
  serviceRatio: number;
  served: string;
  /** What tools of the upstream's own add to the formula. */
  tools?(each: (dollars: string) => string): string;
  /** Quota, rounded. */
  cost: number;
  /** It is the least that a call costs, more than the sum of its parts. */
  isLeast: boolean;
  /** Of the cost, what could not be collected, and what was given back. */
  shortfall: number;
  refunded: number;
}

/** The bill that the stored receipt gives; undefined when the receipt no longer holds. */
export function billOfReceipt(receipt: Receipt): Bill | undefined {
  if (receipt.state !== 'ok') return undefined;
  return {
    lines: receipt.lines.map(({ part, amount, ratio }) => ({ part, amount: Number(amount), ratio: Number(ratio) })),
    modelRatio: Number(receipt.model_ratio),
    callPrice: receipt.kind === 'call' ? Number(receipt.call_price) : undefined,
    perSecond: receipt.per_second,
    groupRatio: Number(receipt.group_ratio),
    ownGroupRatio: receipt.special_group,
    tier: tierText(receipt),
    surcharge: receipt.surcharge === '' ? 1 : Number(receipt.surcharge),
    serviceRatio: Number(receipt.service_tier_ratio ?? 1),
    served: servedText(receipt),
    tools: (each) => toolsText(receipt, each),
    cost: receipt.cost,
    isLeast: receipt.rounding === 'minimum',
    shortfall: receipt.shortfall,
    refunded: receipt.refunded ?? 0,
  };
}

/** The bill of a row without a receipt, as those that were brought from elsewhere; undefined where its fields do not add up. */
export function billOfRow(entry: LogEntry, quotaPerUnit: number): Bill | undefined {
  const { callPrice, cacheTokens, cacheWriteTokens, ...billing } = billingOf(entry);
  const cached = billing.cacheBeside ? 0 : cacheTokens + cacheWriteTokens;
  const { heard, spoken, ratio, answerRatio } = billing.sound ?? { heard: 0, spoken: 0, ratio: 1, answerRatio: 1 };
  const parts: BillLine[] = [
    { part: 'prompt', amount: Math.max(0, entry.prompt_tokens - cached - heard), ratio: 1 },
    { part: 'audio_prompt', amount: heard, ratio },
    { part: 'cached', amount: cacheTokens, ratio: billing.cacheRatio },
    { part: 'cache_write', amount: cacheWriteTokens, ratio: billing.cacheWriteRatio },
    { part: 'completion', amount: Math.max(0, entry.completion_tokens - spoken), ratio: billing.completionRatio },
    { part: 'audio_completion', amount: spoken, ratio: ratio * answerRatio },
  ];
  const isCall = callPrice >= 0;
  const bill: Bill = {
    lines: isCall
      ? [{ part: 'calls', amount: 1, ratio: 1 }]
      : parts.filter(({ part, amount }) => amount > 0 || part === 'prompt' || part === 'completion'),
    modelRatio: billing.modelRatio,
    callPrice: isCall ? callPrice : undefined,
    groupRatio: billing.groupRatio,
    ownGroupRatio: billing.ownGroupRatio,
    tier: '',
    surcharge: 1,
    serviceRatio: 1,
    served: '',
    cost: entry.quota,
    isLeast: false,
    shortfall: 0,
    refunded: 0,
  };
  return roundings.some((round) => roundedCost(bill, quotaPerUnit, round) === entry.quota) ? bill : undefined;
}

/** Half up; elsewhere some routes, that of Claude's dialect and drawings, cut what is less than one (contract 7.5). */
const roundings = [Math.round, Math.floor];

/** At least 1 for a priced call. */
function roundedCost(bill: Bill, quotaPerUnit: number, round: (exact: number) => number): number {
  const { lines, modelRatio, groupRatio, callPrice } = bill;
  if (callPrice !== undefined) return round(callPrice * quotaPerUnit * groupRatio);
  const sum = round(lines.reduce((total, line) => total + costOfLine(bill, line), 0));
  return sum <= 0 && modelRatio * groupRatio !== 0 ? 1 : sum;
}

/** Quota of a part that is priced by tokens, not rounded. */
export const costOfLine = ({ modelRatio, groupRatio, surcharge, serviceRatio }: Bill, { amount, ratio }: BillLine): number =>
  amount * ratio * modelRatio * groupRatio * surcharge * serviceRatio;

/** What `other` says of a call that failed. */
export interface CallError {
  /** As the caller got it. */
  code: string;
  /** HTTP status that the caller got, 0 = unknown. */
  status: number;
  /** The upstream's own words, for administrators. */
  cause: string;
}

/** Reads the JSON text of an error row; never fails. */
export function errorOf(entry: Pick<LogEntry, 'other'>): CallError {
  const other = parseRecord(entry.other);
  const admin = isRecord(other.admin_info) ? other.admin_info : {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { code: text(other.error_code), status: numberIn(other, 'status', 0), cause: text(admin.error) };
}
