import type { LogEntry } from '@tollgate/contract';
import { isRecord, parseRecord } from '../../lib/json.ts';

/** What `other` says of a charged call (contract 7.8), with defaults for what an old row lacks. */
export interface Billing {
  kind: 'token' | 'call';
  modelRatio: number;
  completionRatio: number;
  cacheRatio: number;
  cacheTokens: number;
  cacheWriteRatio: number;
  cacheWriteTokens: number;
  /** Cache tokens stand beside the prompt instead of being part of it. */
  cacheBeside: boolean;
  groupRatio: number;
  /** The group ratio is this user's own. */
  ownGroupRatio: boolean;
  callPrice: number;
  /** Milliseconds until the first byte; undefined when there was none. */
  firstByteMs?: number;
  upstreamModel?: string;
  /** Channels that were tried, in order; empty for those who are not administrators. */
  channels: string[];
}

const numberIn = (record: Record<string, unknown>, name: string, fallback: number): number => {
  const value = record[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
};

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
  const callPrice = numberIn(other, 'model_price', -1);
  const own = numberIn(other, 'user_group_ratio', -1);
  const firstByteMs = numberIn(other, 'frt', -1);
  return {
    kind: callPrice >= 0 ? 'call' : 'token',
    modelRatio: numberIn(other, 'model_ratio', 0),
    completionRatio: numberIn(other, 'completion_ratio', 1),
    cacheRatio: numberIn(other, 'cache_ratio', 1),
    cacheTokens: numberIn(other, 'cache_tokens', 0),
    cacheWriteRatio: numberIn(other, 'cache_creation_ratio', 1),
    cacheWriteTokens: numberIn(other, 'cache_creation_tokens', 0),
    cacheBeside: other.claude === true,
    groupRatio: own >= 0 ? own : numberIn(other, 'group_ratio', 1),
    ownGroupRatio: own >= 0,
    callPrice,
    firstByteMs: firstByteMs >= 0 ? firstByteMs : undefined,
    upstreamModel:
      other.is_model_mapped === true && typeof other.upstream_model_name === 'string' ? other.upstream_model_name : undefined,
    channels,
  };
}

export interface BillingLine {
  part: 'prompt' | 'cache' | 'cacheWrite' | 'completion';
  tokens: number;
  /** Dollars per million tokens, without the group's ratio. */
  pricePerMillion: number;
  /** Quota, not rounded. */
  cost: number;
}

/** The parts of a per-token charge. Their sum, rounded half up, is what the call cost. */
export function billingLines(entry: LogEntry, billing: Billing, quotaPerUnit: number): BillingLine[] {
  const { modelRatio, groupRatio, cacheTokens, cacheWriteTokens, cacheRatio, cacheWriteRatio, completionRatio } = billing;
  const cached = billing.cacheBeside ? 0 : cacheTokens + cacheWriteTokens;
  const parts: [BillingLine['part'], number, number][] = [
    ['prompt', Math.max(0, entry.prompt_tokens - cached), 1],
    ['cache', cacheTokens, cacheRatio],
    ['cacheWrite', cacheWriteTokens, cacheWriteRatio],
    ['completion', entry.completion_tokens, completionRatio],
  ];
  return parts
    .filter(([part, tokens]) => tokens > 0 || part === 'prompt' || part === 'completion')
    .map(([part, tokens, ratio]) => ({
      part,
      tokens,
      pricePerMillion: (modelRatio * ratio * 1e6) / quotaPerUnit,
      cost: tokens * ratio * modelRatio * groupRatio,
    }));
}

/** What the formula gives: rounded half up, and at least 1 for a priced call. */
export function formulaCost(lines: readonly BillingLine[], billing: Billing, quotaPerUnit: number): number {
  if (billing.kind === 'call') return Math.round(billing.callPrice * quotaPerUnit * billing.groupRatio);
  const sum = Math.round(lines.reduce((total, line) => total + line.cost, 0));
  return sum <= 0 && billing.modelRatio * billing.groupRatio !== 0 ? 1 : sum;
}

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
